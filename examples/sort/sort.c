/* SPDX-License-Identifier: BSD-3-Clause */
/* sort.c - sort NumPy files that all ranks read and write together.
 *
 *   mpiexec -n 4 npysort -o sorted.npy numbers.npy
 *   mpiexec -n 4 npysort --splitters exact --pattern skewed --keys 4000000
 *   python3 -c "import numpy; print(numpy.load('sorted.npy'))"
 *
 * Each rank reads its slice and sorts it. Splitters cut all slices into a bucket for each rank; an
 * alltoallv brings the buckets together, and what comes from all ranks is merged. How many keys
 * the lower ranks have, by an exscan, says where in the output to write.
 *
 * All collectives are called in five ways, in turn: MPI's, blocking and non-blocking, and Tutti's,
 * blocking, non-blocking, and persistent ones that are made once for all sorts. The non-blocking
 * and persistent ways merge one piece of the keys while the next one travels. Printed are the
 * times of the phases, of the slowest rank, and the share of the rank with most keys in terms of
 * what each should have. Each result is checked: sorted, with the number, sum and sum of hashes of
 * the input, and, up to a million keys, the same as from a serial sort.
 */
#include "npy.h"
#include "report.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

/* ---- input ---- */

static uint64_t first_of(uint64_t total, int r)
{
    uint64_t p = (uint64_t)size, i = (uint64_t)r, rest = total % p;

    return total / p * i + (i < rest ? i : rest);
}

/* Slices as even as whole numbers allow. */
static bool cut_slices(uint64_t total, input *in)
{
    if (total / (uint64_t)size >= INT_MAX) {
        if (rank == 0)
            fprintf(stderr, "npysort: too many keys for %d ranks\n", size);
        return false;
    }
    in->total = total;
    in->first = first_of(total, rank);
    in->slices = allocated((size_t)size, sizeof(int));
    for (int r = 0; r < size; r++)
        in->slices[r] = (int)(first_of(total, r + 1) - first_of(total, r));
    in->n = in->slices[rank];
    in->keys = allocated((size_t)in->n, sizeof(key));
    return true;
}

/* The part of my slice that is in this file, whose numbers begin at `begin` of all. */
static bool read_part(const char *path, const npy *file, long long begin, input *in)
{
    long long first = (long long)in->first, end = first + in->n;
    long long from = first > begin ? first : begin;
    long long to = end < begin + file->count ? end : begin + file->count;
    int n = to > from ? (int)(to - from) : 0;

    return npy_read(path, file, n ? from - begin : 0, n, in->keys + (n ? from - first : 0));
}

static bool read_files(const options *o, npy *files, input *in)
{
    long long total = 0;

    for (int i = 0; i < o->n_files; i++) {
        if (!npy_open(o->files[i], &files[i]))
            return false;
        if (files[i].kind != files[0].kind) {
            if (rank == 0)
                fprintf(stderr, "%s: not of the type of %s\n", o->files[i], o->files[0]);
            return false;
        }
        total += files[i].count;
    }
    in->kind = files[0].kind;
    if (!cut_slices((uint64_t)total, in))
        return false;
    total = 0;
    for (int i = 0; i < o->n_files; i++) {
        if (!read_part(o->files[i], &files[i], total, in))
            return false;
        total += files[i].count;
    }
    return true;
}

static bool make_up(const options *o, input *in)
{
    in->kind = KIND_I8;
    if (!cut_slices((uint64_t)o->keys, in))
        return false;
    for (int i = 0; i < in->n; i++)
        in->keys[i] = o->pattern((uint64_t)o->seed, in->first + (uint64_t)i, in->total);
    return true;
}

static bool load(const options *o, input *in)
{
    npy *files = allocated((size_t)o->n_files, sizeof *files);
    bool right = o->n_files ? read_files(o, files, in) : make_up(o, in);

    free(files);
    return right;
}

/* ---- sort ---- */

static void print_title(const options *o, const input *in)
{
    if (rank != 0)
        return;
    if (o->n_files)
        printf("%s%s", o->files[0], o->n_files > 1 ? " and more" : "");
    else
        printf("pattern %s", o->pattern_name);
    printf(": %llu numbers on %d ranks, splitters %s, %d piece%s where they overlap\n",
           (unsigned long long)in->total, size, o->exact ? "exact" : "sampled", o->pieces,
           o->pieces > 1 ? "s" : "");
    report_title();
}

static bool write_result(const options *o, sorter *s)
{
    const input *in = s->in;

    keys_decode(s->result, (int)s->e.received, in->kind);
    return npy_write(o->output, in->kind, (long long)in->total, (long long)s->e.offset,
                     (int)s->e.received, s->result);
}

/* Each way once in each repetition, beginning with another one each time. */
static bool sort(const options *o, const input *in)
{
    sorter s[WAYS];
    bool right[WAYS], all = true;
    report r;
    int n = 0;

    report_open(&r, in);
    for (int i = 0; i < WAYS; i++)
        if (way_chosen(&ways[i], o))
            sorter_open(&s[n++], in, &ways[i], o);
    for (int i = 0; i < n; i++)
        right[i] = true;
    for (int round = 0; round < o->repetitions; round++)
        for (int i = 0; i < n; i++) {
            int one = (i + round) % n;
            sorter_sort(&s[one], round);
            right[one] &= report_check(&r, &s[one]);
        }
    for (int i = 0; i < n; i++) {
        report_line(&r, &s[i], right[i]);
        all &= right[i];
    }
    if (all && o->output)
        all = write_result(o, &s[n - 1]);
    for (int i = 0; i < n; i++)
        sorter_close(&s[i]);
    report_close(&r);
    return all;
}

int main(int argc, char **argv)
{
    options o;
    input in = {0};
    bool right = false;

    MPI_Init(&argc, &argv);
    tutti_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!options_parse(argc, argv, &o) || !method_known(&o)) {
        if (rank == 0)
            fputs(options_usage, stderr);
    } else if (load(&o, &in)) {
        keys_encode(in.keys, in.n, in.kind);
        print_title(&o, &in);
        right = sort(&o, &in);
    }
    free(in.keys);
    free(in.slices);
    MPI_Finalize();
    return right ? 0 : 1;
}
