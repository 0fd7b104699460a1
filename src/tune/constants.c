/* constants.c - see constants.h. */
#include "tune/constants.h"

#include <stdlib.h>
#include <string.h>

static const struct known {
    const char *name, *unit, *meaning;
    size_t at;
} known[] = {
#define CONSTANT(name, unit, field, meaning) {name, unit, meaning, offsetof(constants, field)},
#include "tune/constants.def"
#undef CONSTANT
};
enum { KNOWN = sizeof known / sizeof *known };

static const char title[] = "tutti constants 1";

/* Round numbers, until they are measured where they are used. Inside a node the latency is that of
 * a machine with 2 cores of an AMD EPYC (docs/measurements.md). */
#define NODE                                                                                       \
    {                                                                                              \
        .latency = 1.3e-7, .overhead = 5e-8, .bandwidth = 1e10, .shared = 2e10, .eager = 1e6       \
    }

static const struct machine {
    const char *name;
    constants constants;
} machines[] = {
    {"ethernet",
     {.copy = 1e10,
      .reduce = 1e10,
      .way = {NODE,
              {.latency = 2e-5,
               .overhead = 1e-6,
               .bandwidth = 1.17e9,
               .shared = 1.17e9,
               .eager = 65536}}}},
    {"fast",
     {.copy = 1e10,
      .reduce = 1e10,
      .way = {NODE,
              {.latency = 8e-7,
               .overhead = 2e-7,
               .bandwidth = 1.2e10,
               .shared = 1.2e10,
               .eager = 16384}}}},
};

const constants *constants_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i].constants;
    return NULL;
}

static double *value_of(constants *k, int i)
{
    return (double *)(void *)((char *)k + known[i].at);
}

static int find(const char *name)
{
    int i = 0;

    while (i < KNOWN && strcmp(known[i].name, name) != 0)
        i++;
    return i;
}

/* Everything is above 0, but for latencies, overheads and limits, which may be 0; and what no
 * machine will have is a slip of the pen. */
static bool plausible(const char *unit, double value)
{
    if (strcmp(unit, "s") == 0)
        return value >= 0 && value <= 1;
    if (strcmp(unit, "bytes") == 0)
        return value >= 0 && value <= 1e15;
    return value >= 1e3 && value <= 1e15;
}

/* Name, number, unit. NULL: it is right. */
static const char *read_line(char *line, constants *k, bool found[KNOWN])
{
    char *end, *rest, *name = strtok_r(line, " \t", &rest), *number = strtok_r(NULL, " \t", &rest);
    char *unit = strtok_r(NULL, " \t", &rest);
    int i = name ? find(name) : KNOWN;
    double value;

    if (!name)
        return NULL;
    if (i == KNOWN)
        return "no such constant";
    if (!number || !unit || strtok_r(NULL, " \t", &rest))
        return "not a name, a number and a unit";
    value = strtod(number, &end);
    if (*end || end == number || strcmp(unit, known[i].unit) != 0)
        return "not a number in this constant's unit";
    if (!plausible(unit, value))
        return "not possible";
    if (found[i])
        return "given twice";
    found[i] = true;
    *value_of(k, i) = value;
    return NULL;
}

static void cut(char *line)
{
    line[strcspn(line, "#\r\n")] = '\0';
}

static bool all_found(const bool found[KNOWN], char *why, size_t size)
{
    for (int i = 0; i < KNOWN; i++)
        if (!found[i]) {
            snprintf(why, size, "%s is not there", known[i].name);
            return false;
        }
    return true;
}

bool constants_read(FILE *in, constants *result, char *why, size_t size)
{
    bool found[KNOWN] = {false};
    char line[256], first[64];
    const char *wrong = "not a file of constants: its first line is not `tutti constants 1`";
    int number = 1;

    snprintf(why, size, "%s", wrong);
    if (!fgets(line, sizeof line, in) || (cut(line), strcmp(line, title) != 0))
        return false;
    *result = (constants){0};
    while (fgets(line, sizeof line, in)) {
        number++;
        wrong = strlen(line) == sizeof line - 1 ? "too long" : NULL;
        cut(line);
        snprintf(first, sizeof first, "%s", line);
        wrong = wrong ? wrong : read_line(line, result, found);
        if (wrong) {
            snprintf(why, size, "line %d (%s): %s", number, first, wrong);
            return false;
        }
    }
    return all_found(found, why, size);
}

void constants_print(FILE *out, const constants *k)
{
    constants copy = *k;

    fprintf(out, "%s\n", title);
    for (int i = 0; i < KNOWN; i++)
        fprintf(out, "%-18s %-8.3g %-8s # %s\n", known[i].name, *value_of(&copy, i), known[i].unit,
                known[i].meaning);
}
