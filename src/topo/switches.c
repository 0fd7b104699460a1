/* SPDX-License-Identifier: BSD-3-Clause */
/* switches.c - see switches.h. The file is read once for each switch above the node: a few times,
 * once in a process. */
#include "topo/switches.h"

#include "topo/shape.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- lists of names ---- */

/* Does the rest of the name, of `digits` digits, lie in "00-17"? Leading zeros count, as in Slurm:
 * n07 is not n7. */
static int match_range(const char *range, const char *end, const char *number, size_t digits)
{
    char *at;
    size_t width = strspn(range, "0123456789");
    long low = strtol(range, &at, 10), high = low, value;

    if (width == 0)
        return -1;
    if (*at == '-') {
        const char *second = at + 1;
        if (!isdigit((unsigned char)*second))
            return -1;
        high = strtol(second, &at, 10);
    }
    if (at != end || high < low)
        return -1;
    value = strtol(number, NULL, 10);
    if (digits < width || (digits > width && number[0] == '0'))
        return 0;
    return value >= low && value <= high;
}

/* "00-17,20]": one of its ranges, and then the rest of the name. */
static int match_bracket(const char *ranges, const char *close, const char *name)
{
    size_t digits = strspn(name, "0123456789");
    int found = 0;

    while (ranges < close) {
        const char *end = ranges + strcspn(ranges, ",]");
        int match = match_range(ranges, end, name, digits);
        if (match < 0)
            return -1;
        found |= match && digits > 0;
        ranges = end + 1;
    }
    return found;
}

/* One item of a list, up to `end`. */
static int match_item(const char *item, const char *end, const char *name)
{
    const char *open = memchr(item, '[', (size_t)(end - item)), *close;
    size_t prefix = (size_t)((open ? open : end) - item);
    bool same = strncmp(item, name, prefix) == 0;

    if (!open)
        return same && name[prefix] == '\0';
    close = memchr(open, ']', (size_t)(end - open));
    if (!close || close == open + 1)
        return -1;
    const char *digits = same ? name + prefix : "";
    size_t n = strspn(digits, "0123456789"), suffix = (size_t)(end - close - 1);
    int match = match_bracket(open + 1, close, digits);
    if (match <= 0)
        return match;
    return strlen(digits + n) == suffix && strncmp(digits + n, close + 1, suffix) == 0;
}

/* The end of an item: a comma that is not in brackets. */
static const char *item_end(const char *item)
{
    bool inside = false;

    for (; *item && (inside || *item != ','); item++)
        inside = *item == '[' || (inside && *item != ']');
    return item;
}

int switches_match(const char *list, const char *name)
{
    int found = 0;

    for (const char *end; *list; list = *end ? end + 1 : end) {
        end = item_end(list);
        int match = end == list ? -1 : match_item(list, end, name);
        if (match < 0)
            return -1;
        found |= match;
    }
    return found;
}

/* ---- the file ---- */

/* Bounds on what is read: /dev/zero is a file, too. */
enum { MOST_LINE = 1 << 16, MOST_FILE = 1 << 24, MOST_NAME = 255 };

typedef struct reader {
    FILE *f;
    char *text; /* [MOST_LINE]: the line */
    size_t bytes;
    int number;
} reader;

/* The next line. False: there is none; or *wrong is not NULL. */
static bool next_switch_line(reader *r, const char **wrong)
{
    size_t n;

    if (!fgets(r->text, MOST_LINE, r->f)) {
        *wrong = ferror(r->f) ? strerror(errno) : NULL;
        return false;
    }
    n = strlen(r->text);
    r->number++;
    r->bytes += n;
    if (n == 0 || (r->text[n - 1] != '\n' && !feof(r->f)))
        *wrong = "longer than 64 KiB, or not text";
    else if (r->bytes > MOST_FILE)
        *wrong = "the file has more than 16 MiB";
    return !*wrong;
}

typedef struct line {
    char *name, *nodes, *switches; /* NULL: not given */
    bool blank;
} line;

static line split(char *text)
{
    static const char *const keys[] = {"SwitchName=", "Nodes=", "Switches="};
    char *values[3] = {0}, *state = NULL;
    bool blank;

    text[strcspn(text, "#\r\n")] = '\0';
    blank = text[strspn(text, " \t")] == '\0';
    for (char *w = strtok_r(text, " \t", &state); w; w = strtok_r(NULL, " \t", &state))
        for (int i = 0; i < 3; i++)
            if (strncasecmp(w, keys[i], strlen(keys[i])) == 0)
                values[i] = w + strlen(keys[i]);
    return (line){values[0], values[1], values[2], blank};
}

static const char *line_wrong(const line *l)
{
    if (!l->name)
        return l->blank ? NULL : "SwitchName= is missing";
    if (!l->name[0])
        return "SwitchName= has no value";
    if (strlen(l->name) > MOST_NAME)
        return "the name of a switch has more than 255 characters";
    if (!l->nodes && !l->switches)
        return "Nodes= or Switches= is missing";
    if ((l->nodes && !l->nodes[0]) || (l->switches && !l->switches[0]))
        return "Nodes= or Switches= has no value";
    if ((l->nodes && switches_match(l->nodes, "") < 0) ||
        (l->switches && switches_match(l->switches, "") < 0))
        return "the list of names is malformed";
    return NULL;
}

/* Read all; the first switch that has this node, or this switch, below it is written to `above`. */
static const char *scan(reader *r, bool of_node, const char *name, char above[MOST_NAME + 1])
{
    const char *wrong = NULL;

    while (!wrong && next_switch_line(r, &wrong)) {
        line l = split(r->text);
        const char *list = of_node ? l.nodes : l.switches;

        wrong = line_wrong(&l);
        if (!wrong && !above[0] && list && l.name && switches_match(list, name) == 1)
            strcpy(above, l.name);
    }
    return wrong;
}

/* The switch above this node, or this switch; its name replaces `name`. */
static bool find_above(const char *file, bool of_node, char name[MOST_NAME + 1], bool *found,
                       char *why, size_t size)
{
    reader r = {.f = fopen(file, "r"), .text = malloc(MOST_LINE)};
    char above[MOST_NAME + 1] = "";
    const char *wrong;

    if (r.f && r.text)
        wrong = scan(&r, of_node, name, above);
    else
        wrong = r.f ? "out of memory" : strerror(errno);
    if (wrong && r.number)
        snprintf(why, size, "%.100s line %d: %s", file, r.number, wrong);
    else if (wrong)
        snprintf(why, size, "%.100s: %s", file, wrong);
    *found = above[0] != '\0';
    if (*found)
        strcpy(name, above);
    free(r.text);
    if (r.f)
        fclose(r.f);
    return !wrong;
}

bool switches_above(const char *file, const char *host, uint64_t above[TOPO_SWITCHES], char *why,
                    size_t size)
{
    char name[MOST_NAME + 1];
    bool found = false;

    memset(above, 0, TOPO_SWITCHES * sizeof *above);
    snprintf(name, sizeof name, "%s", host);
    if (!find_above(file, true, name, &found, why, size))
        return false;
    if (!found && strchr(name, '.')) {
        *strchr(name, '.') = '\0';
        if (!find_above(file, true, name, &found, why, size))
            return false;
    }
    for (int i = 0; found && i < TOPO_SWITCHES; i++) {
        above[i] = shape_identity(name);
        for (int k = 0; k < i; k++)
            if (above[k] == above[i]) {
                snprintf(why, size, "%.60s: switch %.60s is above itself", file, name);
                return false;
            }
        if (!find_above(file, false, name, &found, why, size))
            return false;
    }
    return true;
}
