/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_text.c - verdicts as lines of text, see wisdom_text.h. Integers only: the locale does not
 * matter. */
#include "tune/wisdom_text.h"

#include "tune/size.h"

#include <limits.h>
#include <string.h>

static const char title[] = "tutti wisdom 1";
static const char version[] = "version " TUTTI_VERSION;
static const char columns[] =
    "# collective ranks bytes operation place shape | algorithm | time | starts\n"
    "# (who changes something writes `edited` in the place of the number in the last line)\n";

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127)
            return false;
    return true;
}

/* ---- write ---- */

/* By `ordered` and `whole`. */
static const char *const operations[] = {"commutes", "ordered", "commutes,whole", "ordered,whole"};

static const char *operation_of(const wisdom_key *k)
{
    return coll_has(k->kind, COLL_REDUCES) ? operations[k->ordered + 2 * k->whole] : "-";
}

static const char *const servers[] = {"tutti", "native"};

void wisdom_print(const verdict *v, char *text, size_t size)
{
    if (v->key.server)
        snprintf(text, size, "%s", servers[v->native]);
    else
        select_print(&v->choice, text, size);
}

static void put(FILE *out, uint64_t *hash, const char *text)
{
    *hash = wisdom_hash(*hash, text, strlen(text));
    fputs(text, out);
}

static void put_verdict(FILE *out, uint64_t *hash, const verdict *v)
{
    const wisdom_key *k = &v->key;
    char line[WISDOM_LINE], name[128];

    wisdom_print(v, name, sizeof name);
    snprintf(line, sizeof line, "%s %d %lld %s %s %s | %s | %lld ns | %d starts\n",
             coll_kind_name(k->kind), k->p, (long long)size_least(k->class), operation_of(k),
             k->in_place ? "in_place" : "-", k->shape, name, (long long)v->ns, v->starts);
    put(out, hash, line);
}

static void print_end(char *line, size_t size, size_t n, uint64_t hash)
{
    snprintf(line, size, "end %zu %016llx", n, (unsigned long long)hash);
}

bool wisdom_write(FILE *out, wisdom *w, const char *mpi)
{
    char line[WISDOM_LINE];
    uint64_t hash = WISDOM_HASH;

    if (strlen(mpi) >= WISDOM_SHAPE || !is_printable(mpi))
        return false;
    snprintf(line, sizeof line, "%s\n%s\nmpi %s\n", title, version, mpi);
    put(out, &hash, line);
    put(out, &hash, columns);
    for (const verdict *v = NULL; (v = wisdom_next(w, v));)
        put_verdict(out, &hash, v);
    print_end(line, sizeof line, wisdom_count(w), hash);
    fprintf(out, "%s\n", line);
    return !ferror(out);
}

/* ---- parts of a line ---- */

/* A number from 0 on without a sign. False: it is none, or too large. */
static bool to_number(const char *text, int64_t most, int64_t *n)
{
    int64_t value = 0;
    size_t digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 19 || text[digits])
        return false;
    for (; *text; text++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *text - '0', &value))
            return false;
    *n = value;
    return value <= most;
}

/* Cut the first word off. NULL: there is none. */
static char *next_word(char **rest)
{
    return strtok_r(NULL, " \t", rest);
}

/* Cut off what is before the next '|', without blanks around it. NULL: there is nothing. */
static char *next_part(char **rest)
{
    char *part = *rest, *end;

    if (!part)
        return NULL;
    part += strspn(part, " \t");
    end = part + strcspn(part, "|");
    *rest = *end ? end + 1 : NULL;
    while (end > part && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    return part;
}

static const char *read_operation(const char *word, wisdom_key *k)
{
    unsigned i = 0;

    if (!coll_has(k->kind, COLL_REDUCES))
        return strcmp(word, "-") == 0 ? NULL : "this collective has no operation: not `-`";
    while (i < 4 && strcmp(operations[i], word) != 0)
        i++;
    k->ordered = i % 2;
    k->whole = i / 2;
    return i < 4 ? NULL : "no such class of operations";
}

static const char *read_place(const char *word, wisdom_key *k)
{
    k->in_place = strcmp(word, "in_place") == 0;
    return k->in_place || strcmp(word, "-") == 0 ? NULL : "neither `in_place` nor `-`";
}

/* "allreduce 64 4096 commutes - node:8" */
static const char *read_key(char *part, wisdom_key *k)
{
    char *rest = part, *name = next_word(&rest), *ranks = next_word(&rest);
    char *bytes = next_word(&rest), *operation = next_word(&rest), *place = next_word(&rest);
    int64_t p, n;
    const char *why;

    if (!place || !rest)
        return "not a collective, ranks, bytes, operation, place and shape";
    k->kind = coll_kind_find(name);
    if (k->kind == COLL_KINDS)
        return "no such collective";
    if (!to_number(ranks, INT_MAX, &p) || p == 0)
        return "not a number of ranks";
    if (!to_number(bytes, INT64_MAX, &n))
        return "not a number of bytes";
    k->p = (int)p;
    k->class = size_class(n);
    if ((why = read_operation(operation, k)) || (why = read_place(place, k)))
        return why;
    rest += strspn(rest, " \t");
    if (strlen(rest) >= WISDOM_SHAPE)
        return "not a shape";
    strcpy(k->shape, rest);
    return NULL;
}

/* "30 starts" */
static bool read_measure(char *part, const char *unit, int64_t most, int64_t *n)
{
    char *rest = part, *number = next_word(&rest), *word = next_word(&rest);

    return word && strcmp(word, unit) == 0 && !next_word(&rest) && to_number(number, most, n);
}

static const char *read_verdict(char *line, verdict *v)
{
    char *rest = line, *key = next_part(&rest), *name = next_part(&rest);
    char *time = next_part(&rest), *starts = next_part(&rest);
    const char *why;
    int64_t n;

    if (!starts || rest)
        return "not four parts between `|`";
    if ((why = read_key(key, &v->key)))
        return why;
    v->key.server = strcmp(name, servers[0]) == 0 || strcmp(name, servers[1]) == 0;
    v->native = strcmp(name, servers[1]) == 0;
    if (v->key.server)
        v->key = wisdom_server_key(&v->key);
    else if (!select_parse(v->key.kind, name, v->key.p, wisdom_bytes(&v->key), &v->choice))
        return "no such algorithm, or not with these words";
    if (!read_measure(time, "ns", INT64_MAX, &v->ns))
        return "not a time in ns";
    if (!read_measure(starts, "starts", INT_MAX, &n))
        return "not a number of starts";
    v->starts = (int)n;
    return NULL;
}

/* ---- read ---- */

typedef struct reader {
    FILE *in;
    uint64_t before, hash; /* of all before this line, and with it */
    int number;            /* of this line; they count from 1 */
    bool ended;            /* the end line was there */
    char line[WISDOM_LINE];
} reader;

/* The next line without its end. False: there is none, if *why is NULL; else what is wrong. */
static bool next_line(reader *r, const char **why)
{
    size_t n = 0;
    int c;

    r->before = r->hash;
    r->number++;
    *why = NULL;
    while ((c = getc(r->in)) != EOF && c != '\n') {
        if (n == sizeof r->line - 1 || (c < ' ' && c != '\t') || c == 127) {
            *why = n == sizeof r->line - 1 ? "too long" : "a byte that is no text";
            break;
        }
        r->line[n++] = (char)c;
    }
    r->line[n] = '\0';
    if (c == EOF && n > 0)
        *why = "cut off inside this line";
    if (ferror(r->in))
        *why = "cannot be read";
    if (*why || c == EOF)
        return false;
    r->hash = wisdom_hash(r->hash, r->line, n);
    r->hash = wisdom_hash(r->hash, "\n", 1);
    return true;
}

static const char *read_title(reader *r, const char *mpi)
{
    const char *why;

    if (!next_line(r, &why) || strcmp(r->line, title) != 0)
        return "not a file of wisdom that begins with `tutti wisdom 1`";
    if (!next_line(r, &why) || strcmp(r->line, version) != 0)
        return why ? why : "of another version than " TUTTI_VERSION;
    if (!next_line(r, &why) || strncmp(r->line, "mpi ", 4) != 0 || strcmp(r->line + 4, mpi) != 0)
        return why ? why : "of another MPI";
    return NULL;
}

static const char *read_end(reader *r, const wisdom *w)
{
    size_t n = wisdom_count(w);
    char end[64], edited[64];

    print_end(end, sizeof end, n, r->before);
    snprintf(edited, sizeof edited, "end %zu edited", n);
    r->ended = true;
    if (strcmp(r->line, edited) == 0 || strcmp(r->line, end) == 0)
        return NULL;
    return strncmp(r->line, end, strcspn(end + 4, " ") + 5) != 0
               ? "not the number of verdicts"
               : "damaged, or edited without `edited` here";
}

static const char *read_line(reader *r, wisdom *w)
{
    char line[WISDOM_LINE];
    verdict v = {.ns = 0};
    const char *why;

    if (r->ended)
        return "more behind the end";
    if (strncmp(r->line, "end ", 4) == 0)
        return read_end(r, w);
    strcpy(line, r->line);
    line[strcspn(line, "#")] = '\0';
    if (!line[strspn(line, " \t")])
        return NULL;
    if ((why = read_verdict(line, &v)))
        return why;
    return wisdom_find(w, &v.key) ? "given twice" : wisdom_add(w, &v);
}

static const char *read_all(reader *r, wisdom *w, const char *mpi)
{
    const char *why = read_title(r, mpi);

    if (why)
        return why;
    while (next_line(r, &why))
        if ((why = read_line(r, w)))
            return why;
    return why || r->ended ? why : "cut off: its end is not there";
}

wisdom *wisdom_read(FILE *in, const char *mpi, char *why, size_t size)
{
    reader r = {.in = in, .hash = WISDOM_HASH};
    wisdom *w = wisdom_make();
    const char *wrong = w ? read_all(&r, w, mpi) : "out of memory";

    if (!wrong)
        return w;
    wisdom_free(w);
    snprintf(why, size, "line %d (%.60s): %s", r.number, r.line, wrong);
    return NULL;
}
