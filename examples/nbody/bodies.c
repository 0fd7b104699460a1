/* SPDX-License-Identifier: BSD-3-Clause */
/* bodies.c - see bodies.h. */
#include "bodies.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 7, MOST = 1 << 24 }; /* of a line; bodies, so that 3 of them fit an int */

/* ---- distribute ---- */

static int allocate(bodies *b, int total, MPI_Comm comm)
{
    int ranks, rank;
    size_t n = (size_t)total;

    MPI_Comm_size(comm, &ranks);
    MPI_Comm_rank(comm, &rank);
    *b = (bodies){.total = total};
    b->counts = malloc(2 * (size_t)ranks * sizeof *b->counts);
    if (!b->counts)
        return 1;
    b->displs = b->counts + ranks;
    for (int r = 0; r < ranks; r++) {
        b->displs[r] = (int)((long long)total * r / ranks);
        b->counts[r] = (int)((long long)total * (r + 1) / ranks) - b->displs[r];
    }
    b->mine = b->counts[rank];
    b->mass = malloc(4 * n * sizeof *b->mass + 1);
    b->v = malloc(6 * (size_t)b->mine * sizeof *b->v + 1);
    if (!b->mass || !b->v)
        return 1;
    b->x = b->mass + n;
    b->a = b->v + 3 * (size_t)b->mine;
    return 0;
}

void bodies_free(bodies *b)
{
    free(b->counts);
    free(b->mass);
    free(b->v);
    *b = (bodies){0};
}

void bodies_copy(const bodies *from, bodies *to)
{
    memcpy(to->mass, from->mass, 4 * (size_t)from->total * sizeof *from->mass);
    memcpy(to->v, from->v, 3 * (size_t)from->mine * sizeof *from->v);
}

int bodies_clone(const bodies *from, MPI_Comm comm, bodies *result)
{
    int failed = allocate(result, from->total, comm);

    if (!failed)
        bodies_copy(from, result);
    return failed;
}

/* Rows of `mass x y z vx vy vz`, which all ranks have. */
static int take(const double *rows, int total, MPI_Comm comm, bodies *b)
{
    int rank;

    if (allocate(b, total, comm))
        return 1;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < total; i++) {
        const double *row = rows + (size_t)i * VALUES;
        b->mass[i] = row[0];
        memcpy(b->x + 3 * (size_t)i, row + 1, 3 * sizeof *row);
        if (i >= b->displs[rank] && i < b->displs[rank] + b->mine)
            memcpy(b->v + 3 * (size_t)(i - b->displs[rank]), row + 4, 3 * sizeof *row);
    }
    return 0;
}

/* ---- read ---- */

/* The seven numbers of a line. Returns NULL, or what is wrong. *found: it is not blank. */
static const char *parse_line(char *line, double row[VALUES], bool *found)
{
    char *at = line;

    line[strcspn(line, "#")] = '\0';
    at += strspn(at, " \t\r\n");
    *found = *at != '\0';
    for (int i = 0; *found && i < VALUES; i++) {
        char *end;
        row[i] = strtod(at, &end);
        if (end == at)
            return *at ? "not a number" : "needs mass x y z vx vy vz";
        if (!isfinite(row[i]))
            return "numbers must be finite";
        at = end + strspn(end, " \t\r\n");
    }
    if (*found && *at)
        return "more than mass x y z vx vy vz";
    return *found && row[0] <= 0 ? "the mass must be above 0" : NULL;
}

static const char *add_row(double **rows, int *n, const double row[VALUES])
{
    if (*n == MOST)
        return "too many bodies";
    if (*n % 1024 == 0) {
        double *larger = realloc(*rows, ((size_t)*n + 1024) * VALUES * sizeof *larger);
        if (!larger)
            return "out of memory";
        *rows = larger;
    }
    memcpy(*rows + (size_t)*n * VALUES, row, VALUES * sizeof *row);
    ++*n;
    return NULL;
}

/* On one rank. Returns the number of bodies, or -1 after a message. */
static int read_rows(const char *name, double **rows)
{
    FILE *file = fopen(name, "r");
    char *line = NULL;
    const char *wrong = NULL;
    size_t room = 0;
    int n = 0, number = 0;

    if (!file) {
        fprintf(stderr, "%s: %s\n", name, strerror(errno));
        return -1;
    }
    while (!wrong && getline(&line, &room, file) >= 0) {
        double row[VALUES];
        bool found;
        number++;
        wrong = parse_line(line, row, &found);
        if (!wrong && found)
            wrong = add_row(rows, &n, row);
    }
    free(line);
    fclose(file);
    if (wrong)
        fprintf(stderr, "%s line %d: %s\n", name, number, wrong);
    else if (n == 0)
        fprintf(stderr, "%s: no bodies\n", name);
    return wrong || n == 0 ? -1 : n;
}

int bodies_read(const char *file, MPI_Comm comm, bodies *result)
{
    double *rows = NULL;
    int rank, n = 0, failed = 1;

    MPI_Comm_rank(comm, &rank);
    if (rank == 0)
        n = read_rows(file, &rows);
    MPI_Bcast(&n, 1, MPI_INT, 0, comm);
    if (n > 0) {
        if (rank != 0)
            rows = malloc((size_t)n * VALUES * sizeof *rows);
        if (!rows)
            MPI_Abort(comm, 1);
        MPI_Bcast(rows, n * VALUES, MPI_DOUBLE, 0, comm);
        failed = take(rows, n, comm, result);
    }
    free(rows);
    return failed;
}

/* ---- Plummer ---- */

/* splitmix64, as a number in [0, 1). */
static double uniform(unsigned long long *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* A vector of this length in any direction. */
static void turn(double length, unsigned long long *seed, double to[3])
{
    double z = 2 * uniform(seed) - 1, angle = 2 * 3.14159265358979323846 * uniform(seed);
    double flat = sqrt(1 - z * z);

    to[0] = length * flat * cos(angle);
    to[1] = length * flat * sin(angle);
    to[2] = length * z;
}

/* Speed as a part of the escape velocity: the distribution q^2 (1 - q^2)^3.5, by rejection. */
static double speed(unsigned long long *seed)
{
    double q, y;

    do {
        q = uniform(seed);
        y = 0.1 * uniform(seed);
    } while (y > q * q * pow(1 - q * q, 3.5));
    return q;
}

static void plummer_row(int n, unsigned long long *seed, double row[VALUES])
{
    const double scale = 3 * 3.14159265358979323846 / 16; /* so that the energy is -1/4 */
    double mass = 0.999 * uniform(seed) + 0.0005;         /* not the few that are far away */
    double r = 1 / sqrt(pow(mass, -2. / 3) - 1);

    row[0] = 1. / n;
    turn(r * scale, seed, row + 1);
    turn(speed(seed) * sqrt(2) * pow(1 + r * r, -0.25) / sqrt(scale), seed, row + 4);
}

int bodies_plummer(int n, unsigned long long seed, MPI_Comm comm, bodies *result)
{
    double *rows = malloc((size_t)n * VALUES * sizeof *rows), mean[VALUES] = {0};
    int failed;

    if (!rows)
        return 1;
    for (int i = 0; i < n; i++) {
        plummer_row(n, &seed, rows + (size_t)i * VALUES);
        for (int k = 1; k < VALUES; k++)
            mean[k] += rows[(size_t)i * VALUES + (size_t)k] / n;
    }
    for (int i = 0; i < n; i++) /* the centre of mass rests at the origin */
        for (int k = 1; k < VALUES; k++)
            rows[(size_t)i * VALUES + (size_t)k] -= mean[k];
    failed = take(rows, n, comm, result);
    free(rows);
    return failed;
}
