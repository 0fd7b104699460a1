/* SPDX-License-Identifier: BSD-3-Clause */
/* wisdom_text.c - verdicts as lines of text, see wisdom_text.h. Integers only: the locale does not
 * matter. */
#define _XOPEN_SOURCE 700 /* open_memstream */
#include "tune/wisdom_text.h"

#include "tune/size.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char title[] = WISDOM_TITLE "1";
static const char version[] = "version " TUTTI_VERSION;
static const char not_wisdom[] = "not a file of wisdom that begins with `" WISDOM_TITLE "1`";
static const char columns[] =
    "# collective ranks bytes operation place shape | algorithm | time | starts\n"
    "# (who changes something writes `edited` in the place of the number in the last line)\n";

/* By `noncommutative` and `user_op`; by `in_place`; by `native`. */
static const char *const operations[] = {"commutes", "ordered", "commutes,whole", "ordered,whole"};
static const char *const in_places[] = {"-", "in_place"};
static const char *const servers[] = {"tutti", "native"};

/* ---- write ---- */

static void write_verdict(FILE *out, const verdict *v)
{
    const wisdom_key *k = &v->key;
    bool reduces = coll_has(k->kind, COLL_REDUCES);
    char name[128];

    if (!k->server)
        select_print(&v->choice, name, sizeof name);
    fprintf(out, "%s %d %lld %s %s %s | %s | %lld ns | %d starts\n", coll_kind_name(k->kind), k->p,
            (long long)size_least(k->class),
            reduces ? operations[k->noncommutative + 2 * k->user_op] : "-", in_places[k->in_place],
            k->shape, k->server ? servers[v->native] : name, (long long)v->ns, v->starts);
}

static void print_end(char *line, size_t size, size_t count, const char *text, size_t n)
{
    uint64_t hash = wisdom_hash(WISDOM_HASH, text, n);

    snprintf(line, size, "end %zu %016llx", count, (unsigned long long)hash);
}

char *wisdom_write(wisdom *w, const char *mpi, size_t *n)
{
    char *text = NULL, end[64];
    FILE *out = open_memstream(&text, n);

    if (!out)
        return NULL;
    fprintf(out, "%s\n%s\nmpi %s\n%s", title, version, mpi, columns);
    wisdom_sort(w);
    for (const verdict *v = NULL; (v = wisdom_next(w, v));)
        write_verdict(out, v);
    if (fflush(out) == 0) {
        print_end(end, sizeof end, wisdom_count(w), text, *n);
        fprintf(out, "%s\n", end);
    }
    bool failed = ferror(out);
    if (fclose(out) == 0 && !failed)
        return text;
    free(text);
    return NULL;
}

/* ---- parts of a line ---- */

/* Cut off what is before the next of these marks, or the end, without blanks around it. */
static char *cut_part(char **rest, const char *marks)
{
    char *part = *rest + strspn(*rest, " \t"), *end = part + strcspn(part, marks);

    *rest = *end ? end + 1 : end;
    while (end > part && (end[-1] == ' ' || end[-1] == '\t'))
        end--;
    *end = '\0';
    return part;
}

static char *cut_word(char **rest)
{
    return cut_part(rest, " \t");
}

/* Its index, or -1. */
static int find_word(const char *word, const char *const *list, int n)
{
    while (n-- > 0 && strcmp(word, list[n]) != 0)
        ;
    return n;
}

/* A number from 0 on without a sign. False: it is none, or too large. */
static bool read_integer(const char *text, int64_t most, int64_t *n)
{
    char *end;

    errno = 0;
    *n = strtoll(text, &end, 10);
    return isdigit((unsigned char)*text) && !*end && !errno && *n <= most;
}

/* "30 starts" */
static bool read_measure(char *part, const char *unit, int64_t most, int64_t *n)
{
    char *number = cut_word(&part);

    return strcmp(cut_part(&part, ""), unit) == 0 && read_integer(number, most, n);
}

static const char *read_operation(const char *word, wisdom_key *k)
{
    int i = find_word(word, operations, 4);

    if (!coll_has(k->kind, COLL_REDUCES))
        return strcmp(word, "-") == 0 ? NULL : "this collective has no operation: not `-`";
    k->noncommutative = i % 2;
    k->user_op = i / 2;
    return i >= 0 ? NULL : "no such class of operations";
}

/* "allreduce 64 4096 commutes - node:8" */
static const char *read_key(char *rest, wisdom_key *k)
{
    int64_t p, bytes;
    const char *why;
    int i;

    k->kind = coll_kind_find(cut_word(&rest));
    if (k->kind == COLL_KINDS)
        return "no such collective";
    if (!read_integer(cut_word(&rest), INT_MAX, &p) || p == 0)
        return "not a number of ranks";
    if (!read_integer(cut_word(&rest), INT64_MAX, &bytes))
        return "not a number of bytes";
    k->p = (int)p;
    k->class = size_class(bytes);
    if ((why = read_operation(cut_word(&rest), k)))
        return why;
    i = find_word(cut_word(&rest), in_places, 2);
    if (i < 0)
        return "neither `in_place` nor `-`";
    k->in_place = i;
    rest = cut_part(&rest, "");
    if (strlen(rest) >= WISDOM_SHAPE)
        return "not a shape";
    strcpy(k->shape, rest);
    return NULL;
}

static const char *read_verdict(char *rest, verdict *v)
{
    const char *why = read_key(cut_part(&rest, "|"), &v->key), *name = cut_part(&rest, "|");
    int server = find_word(name, servers, 2);
    int64_t starts;

    if (why)
        return why;
    v->native = server > 0;
    if (server >= 0)
        v->key = wisdom_server_key(&v->key);
    else if (!select_parse(v->key.kind, name, v->key.p, wisdom_bytes(&v->key), &v->choice))
        return "no such algorithm, or not with these words";
    if (!read_measure(cut_part(&rest, "|"), "ns", INT64_MAX, &v->ns))
        return "not a time in ns";
    if (!read_measure(rest, "starts", INT_MAX, &starts))
        return "not a number of starts";
    v->starts = (int)starts;
    return NULL;
}

/* ---- read ---- */

typedef struct reader {
    const char *text, *at, *end; /* all of it; what comes after this line; its end */
    const char *mpi;
    int number; /* of this line; they count from 1 */
    bool ended; /* the end line was there */
    char line[WISDOM_LINE];
} reader;

/* The next line without its end. False: there is none, if *why is NULL; else what is wrong. */
static bool next_wisdom_line(reader *r, const char **why)
{
    size_t left = (size_t)(r->end - r->at);
    const char *stop = left ? memchr(r->at, '\n', left) : NULL;
    size_t n = stop ? (size_t)(stop - r->at) : left;

    *why = left && !stop ? "cut off inside this line" : NULL;
    if (n >= WISDOM_LINE) {
        *why = "too long";
        n = WISDOM_LINE - 1;
    }
    r->number++;
    for (size_t i = 0; i < n; i++) {
        char c = r->line[i] = r->at[i];
        if (((unsigned char)c < ' ' && c != '\t') || c == 127) {
            *why = "a byte that is not text";
            n = i;
        }
    }
    r->line[n] = '\0';
    r->at += stop ? n + 1 : n;
    return left && !*why;
}

static const char *read_end(reader *r, const wisdom *w)
{
    size_t n = wisdom_count(w), before = (size_t)(r->at - r->text) - strlen(r->line) - 1;
    char end[64], edited[64];

    print_end(end, sizeof end, n, r->text, before);
    snprintf(edited, sizeof edited, "end %zu edited", n);
    r->ended = true;
    if (strcmp(r->line, edited) == 0 || strcmp(r->line, end) == 0)
        return NULL;
    return strncmp(r->line, end, strcspn(end + 4, " ") + 5) != 0
               ? "the number of verdicts is wrong"
               : "damaged, or edited without `edited` here";
}

/* The first lines, by their number. */
static const char *read_head(const reader *r)
{
    static const char *const wrong[] = {
        not_wisdom, "written by another version than " TUTTI_VERSION, "measured with another MPI"};
    char mpi[WISDOM_LINE];
    const char *const head[] = {title, version, mpi};

    snprintf(mpi, sizeof mpi, "mpi %s", r->mpi);
    return strcmp(r->line, head[r->number - 1]) == 0 ? NULL : wrong[r->number - 1];
}

static const char *read_wisdom_line(reader *r, wisdom *w)
{
    char line[WISDOM_LINE];
    verdict v = {.ns = 0};
    const char *why;

    if (r->number <= 3)
        return read_head(r);
    if (r->ended)
        return "lines after the end";
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

static const char *read_all_lines(reader *r, wisdom *w)
{
    const char *why;

    while (next_wisdom_line(r, &why))
        if ((why = read_wisdom_line(r, w)))
            return why;
    return why || r->ended ? why : "cut off: the line that begins with `end` is missing";
}

wisdom *wisdom_read(const char *text, size_t n, const char *mpi, char *why, size_t size)
{
    reader r = {.text = text, .at = text, .end = text + n, .mpi = mpi};
    wisdom *w = wisdom_make();
    const char *wrong = w ? read_all_lines(&r, w) : "out of memory";

    if (!wrong)
        return w;
    wisdom_free(w);
    snprintf(why, size, "line %d (%.60s): %s", r.number, r.line,
             r.number == 1 ? not_wisdom : wrong);
    return NULL;
}
