/* SPDX-License-Identifier: BSD-3-Clause */
/* constants.c - see constants.h. */
#include "tune/constants.h"

#include "tune/number.h"

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

static const char title[] = "tutti constants 1";

/* Round numbers, until tutti-tune measures them where they are used. Inside a node they are what it
 * found on 2 cores of an Intel Xeon (docs/results/measurements.md, "Constants of this machine"),
 * but for copies and reductions (there the data was in the caches), and for long messages: these
 * are as they are read from their senders' memory on 2 cores of an AMD EPYC, and `eager` is between
 * what was best there and on the Xeon. */
#define NODE                                                                                       \
    {                                                                                              \
        .latency = 1.6e-7, .overhead = 3.5e-8, .bandwidth = 1.4e10, .shared = 2.4e10,              \
        .eager = 8192                                                                              \
    }

/* Tuning: tutti-tune measures .85 to 1.95 us with 4 to 16 ranks on 2 cores. With it the estimate
 * says 9 and 21 us of allreduce of 8 bytes on 4 and 8 ranks there; 5 to 12 and 27 to 45 were
 * measured. */
#define TURN 1e-6

/* Tuning: an MPI looks at more before it gives its processor away. Calls of 8 ranks on 2 cores took
 * .6 to .9 of what theirs took, where the estimate saw no difference. */
#define MPI_TURN 1.2

/* Between those of MPICH and of Open MPI there; long ones are read in the same way. */
#define MPI_OWN                                                                                    \
    {                                                                                              \
        .latency = 1.4e-7, .overhead = 8e-8, .bandwidth = 1.4e10, .eager = 4096                    \
    }

static const struct machine {
    const char *name;
    constants constants;
} machines[] = {
    /* `both`: as measured on emulated hosts over TCP, at 0.1 and 1 Gbit/s
     * (docs/results/measurements.md) */
    {"ethernet",
     {.copy = 1e10,
      .reduce = 1e10,
      .turn = TURN,
      .mpi = MPI_OWN,
      .way = {NODE,
              NODE,
              {.latency = 2e-5,
               .overhead = 1e-6,
               .bandwidth = 1.17e9,
               .shared = 1.17e9,
               .both = 8.4e8,
               .eager = 65536}}}},
    {"fast",
     {.copy = 1e10,
      .reduce = 1e10,
      .turn = TURN,
      .mpi = MPI_OWN,
      .way = {NODE,
              NODE,
              {.latency = 8e-7,
               .overhead = 2e-7,
               .bandwidth = 1.2e10,
               .shared = 1.2e10,
               .both = 1.2e10,
               .eager = 16384}}}},
};

const constants *constants_builtin(const char *name)
{
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        if (strcmp(machines[i].name, name) == 0)
            return &machines[i].constants;
    return NULL;
}

static double *value_of_constant(constants *k, int i)
{
    return (double *)(void *)((char *)k + known[i].at);
}

static int find_constant(const char *name)
{
    int i = 0;

    while (i < CONSTANTS && strcmp(known[i].name, name) != 0)
        i++;
    return i;
}

/* Everything is above 0, but for latencies, overheads and limits, which may be 0, and cores, of
 * which 0 are unknown; and what no machine will have is a slip of the pen. */
static bool plausible(const char *unit, double value)
{
    if (strcmp(unit, "s") == 0)
        return value >= 0 && value <= 1;
    if (strcmp(unit, "bytes") == 0)
        return value >= 0 && value <= 1e15;
    if (strcmp(unit, "cores") == 0)
        return value == 0 || (value >= 1 && value <= 1e6);
    return value >= 1e6 && value <= 1e15; /* bytes/s */
}

/* Name, number, unit. NULL: it is right. */
static const char *read_constant(char *line, constants *k, bool found[CONSTANTS])
{
    char *rest, *name = strtok_r(line, " \t", &rest), *number = strtok_r(NULL, " \t", &rest);
    char *unit = strtok_r(NULL, " \t", &rest);
    int i = name ? find_constant(name) : CONSTANTS;
    double value;

    if (!name)
        return NULL;
    if (i == CONSTANTS)
        return "no such constant";
    if (!number || !unit || strtok_r(NULL, " \t", &rest))
        return "must be a name, a number and a unit";
    if (!number_read(number, &value) || strcmp(unit, known[i].unit) != 0)
        return "must be a number in this constant's unit";
    if (!plausible(unit, value))
        return "out of range";
    if (found[i])
        return "given twice";
    found[i] = true;
    *value_of_constant(k, i) = value;
    return NULL;
}

static void cut_comment(char *line)
{
    line[strcspn(line, "#\r\n")] = '\0';
}

static bool may_be_missing(const struct known *c)
{
    return c->at == offsetof(constants, cores) || c->at == offsetof(constants, turn);
}

static bool all_found(const bool found[CONSTANTS], char *why, size_t size)
{
    for (int i = 0; i < CONSTANTS; i++)
        if (!found[i] && !may_be_missing(&known[i])) {
            snprintf(why, size, "%s is missing", known[i].name);
            return false;
        }
    return true;
}

double *constants_find(constants *k, const char *name, int *index)
{
    *index = find_constant(name);
    return *index < CONSTANTS ? value_of_constant(k, *index) : NULL;
}

bool constants_read(FILE *in, constants *result, char *why, size_t size)
{
    bool found[CONSTANTS] = {false};
    char line[256], first[64];
    const char *wrong = "not a file of constants: its first line is not `tutti constants 1`";
    int number = 1;

    snprintf(why, size, "%s", wrong);
    if (!fgets(line, sizeof line, in) || (cut_comment(line), strcmp(line, title) != 0))
        return false;
    *result = (constants){.turn = TURN};
    while (fgets(line, sizeof line, in)) {
        number++;
        wrong = strlen(line) == sizeof line - 1 ? "too long" : NULL;
        cut_comment(line);
        snprintf(first, sizeof first, "%s", line);
        wrong = wrong ? wrong : read_constant(line, result, found);
        if (wrong) {
            snprintf(why, size, "line %d (%s): %s", number, first, wrong);
            return false;
        }
    }
    return all_found(found, why, size);
}

/* Limits in bytes are exact: one more is another way. */
void constants_print(FILE *out, const constants *k, const char *heading, const char *const *notes)
{
    constants copy = *k;

    fprintf(out, "%s\n%s", title, heading);
    for (int i = 0; i < CONSTANTS; i++) {
        const char *note = notes ? notes[i] : NULL;
        const char *unit = known[i].unit;
        number_print(out, "%-18s %-8.*g %-8s # %s%s%s\n", known[i].name,
                     strcmp(unit, "bytes") == 0 ? 16 : 3, *value_of_constant(&copy, i), unit,
                     known[i].meaning, note ? "; " : "", note ? note : "");
    }
}

static void share(way_constants *w, double load, double turn)
{
    w->latency += load * turn;
    w->overhead = load * (w->overhead + turn / 2);
    w->turn = turn;
}

static void take_out(way_constants *w, double load)
{
    w->latency -= load * w->turn;
    w->overhead = w->overhead / load - w->turn / 2;
}

constants constants_shared(const constants *k, int ranks)
{
    constants s = *k;
    way_constants *node = &s.way[WAY_NODE];
    double load = k->cores > 0 ? ranks / k->cores : 1;

    if (load <= 1)
        return s;
    s.load = load;
    s.copy /= load;
    s.reduce /= load;
    for (int way = 0; way < WAYS; way++)
        share(&s.way[way], load, k->turn);
    share(&s.mpi, load, MPI_TURN * k->turn);
    if (node->shared > k->cores * node->bandwidth) /* a core each */
        node->shared = k->cores * node->bandwidth;
    return s;
}

constants constants_alone(const constants *shared)
{
    constants k = *shared;

    k.copy *= k.load;
    k.reduce *= k.load;
    for (int way = 0; way < WAYS; way++)
        take_out(&k.way[way], k.load);
    take_out(&k.mpi, k.load);
    return k;
}

_Static_assert((int)CONSTANTS <= (int)CONSTANTS_PACKED, "room for all");

/* The upper half of a float, to the nearest. */
void constants_pack(const constants *k, uint16_t packed[CONSTANTS_PACKED])
{
    constants copy = *k;

    memset(packed, 0, CONSTANTS_PACKED * sizeof *packed);
    for (int i = 0; i < CONSTANTS; i++) {
        float value = (float)*value_of_constant(&copy, i);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        packed[i] = (uint16_t)((bits + (1 << 15)) >> 16);
    }
}

constants constants_unpack(const uint16_t packed[CONSTANTS_PACKED])
{
    constants k = {0};

    for (int i = 0; i < CONSTANTS; i++) {
        uint32_t bits = (uint32_t)packed[i] << 16;
        float value;
        memcpy(&value, &bits, sizeof value);
        *value_of_constant(&k, i) = value;
    }
    return k;
}
