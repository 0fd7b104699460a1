/* SPDX-License-Identifier: BSD-3-Clause */
/* report.c - which reports there are, and their files: see report.h. */
#include "report.h"

#include <string.h>

static bool is_stdout(const char *file)
{
    return file && strcmp(file, "-") == 0;
}

/* Can it be written? Better known before the measurements. */
static bool can_be_written(const char *file)
{
    return is_stdout(file) || file_possible(file);
}

const char *reports_open(reports *r, const options *o, int argc, char **argv)
{
    const char *files[] = {NULL, o->csv, o->html, o->json};
    int rank, bad;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *r = (reports){.table = rank == 0 && !is_stdout(o->csv) && !is_stdout(o->json) &&
                            !is_stdout(o->html)};
    machine_look(&r->m);
    if (o->json)
        r->json = json_open(o, argc, argv);
    if (o->html)
        r->html = html_open(o, argc, argv);
    if (rank == 0 && o->csv) {
        r->csv = is_stdout(o->csv) ? stdout : fopen(o->csv, "w");
        if (r->csv)
            csv_head(r->csv);
    }
    bad = rank == 0 && o->csv && (!r->csv || ferror(r->csv));
    if (rank == 0 && !bad && o->html && !r->html)
        bad = 2;
    if (rank == 0 && !bad && o->json && !can_be_written(o->json))
        bad = 3;
    MPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return files[bad];
}

/* A flush that failed has lost its data: fclose does not know of it. */
static bool csv_close(FILE *csv)
{
    bool ok = !ferror(csv);

    return fclose(csv) == 0 && ok;
}

const char *reports_close(reports *r, const options *o)
{
    const char *bad = NULL;

    if (r->json && !json_close(r->json, o->json))
        bad = o->json;
    if (r->html && !html_close(r->html, o->html))
        bad = o->html;
    if (r->csv && r->csv != stdout && !csv_close(r->csv))
        bad = o->csv;
    return bad;
}
