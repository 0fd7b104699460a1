/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_file.c - see trace_file.h. */
#define _XOPEN_SOURCE 700 /* open_memstream */
#include "nbc/comm/trace_file.h"

#include "nbc/comm/trace_json.h"
#include "nbc/process/env.h"
#include "nbc/process/native_mpi.h"
#include "nbc/process/simulated.h"
#include "nbc/process/test_knobs.h"
#include "nbc/process/trace.h"
#include "nbc/process/whole_file.h"
#include "topo/here.h"
#include "tune/wisdom.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TAG = 1, ROUND_TRIPS = 16, CHUNK = 1 << 20 };

bool trace_test_apart;

static MPI_Comm ranks = MPI_COMM_NULL; /* of the job, once they have agreed */
static int me, p;
static char host[TOPO_HOST];
static trace_clock clock_here;

void trace_file_start(void)
{
    if (!env_given.trace || simulated())
        return;
    if (!trace_start((int64_t)env_given.trace_events))
        env_say_here("TUTTI_TRACE: out of memory for %lld events; no trace is written",
                     (long long)env_given.trace_events);
}

/* ---- clocks ---- */

typedef struct reading {
    int64_t at, offset, error;
} reading;

static void answer_clock(int rank)
{
    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t now;
        PMPI_Recv(NULL, 0, MPI_BYTE, rank, TAG, ranks, MPI_STATUS_IGNORE);
        now = trace_now();
        PMPI_Send(&now, 1, MPI_INT64_T, rank, TAG, ranks);
    }
}

/* The shortest round trip counts. */
static reading ask_clock(void)
{
    reading best = {.error = INT64_MAX};

    for (int i = 0; i < ROUND_TRIPS; i++) {
        int64_t sent = trace_now(), theirs, back;
        PMPI_Send(NULL, 0, MPI_BYTE, 0, TAG, ranks);
        PMPI_Recv(&theirs, 1, MPI_INT64_T, 0, TAG, ranks, MPI_STATUS_IGNORE);
        back = trace_now();
        if ((back - sent) / 2 < best.error)
            best = (reading){back, theirs - (sent + (back - sent) / 2), (back - sent) / 2};
    }
    return best;
}

/* Processes of one node have one clock. node: [p], of all ranks. */
static reading compare_clocks(const uint64_t *node)
{
    for (int r = 1; me == 0 && r < p; r++)
        if (node[r] != node[0])
            answer_clock(r);
    if (me > 0 && node[me] != node[0])
        return ask_clock();
    return (reading){.at = trace_now()};
}

/* What all have, or nobody goes on. */
static bool all_have(bool mine)
{
    int good = mine;

    native_mpi.Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, ranks);
    return good;
}

/* when: 0 at the start, 1 at the end. False: no memory, on some rank. */
static bool read_clocks(int when)
{
    uint64_t *node = malloc(((size_t)p + 1) * sizeof *node); /* in SimGrid p is known to be 0 */
    uint64_t mine = here_node(host) + (trace_test_apart ? (uint64_t)me : 0);
    bool good = all_have(node);
    reading now;

    if (good) {
        native_mpi.Allgather(&mine, 1, MPI_UINT64_T, node, 1, MPI_UINT64_T, ranks);
        now = compare_clocks(node);
        clock_here.at[when] = now.at;
        clock_here.offset[when] = now.offset;
        if (now.error > clock_here.error)
            clock_here.error = now.error;
    }
    free(node);
    return good;
}

/* ---- agree ---- */

/* 0: this rank has no trace. */
static uint64_t digest(void)
{
    const char *name = env_given.trace;
    int64_t events = (int64_t)env_given.trace_events;

    if (!trace_is_on())
        return 0;
    return wisdom_hash(wisdom_hash(WISDOM_HASH, name, strlen(name)), &events, sizeof events) | 1;
}

/* Nobody will write the events: record no more of them. */
static void give_up(void)
{
    trace_stop();
    if (ranks != MPI_COMM_NULL)
        PMPI_Comm_free(&ranks);
}

static bool make_ranks(MPI_Comm all)
{
    MPI_Group group;
    bool made = PMPI_Comm_group(all, &group) == MPI_SUCCESS;

    if (!made)
        return false;
    made = PMPI_Comm_create(all, group, &ranks) == MPI_SUCCESS &&
           PMPI_Comm_set_errhandler(ranks, MPI_ERRORS_RETURN) == MPI_SUCCESS;
    PMPI_Group_free(&group);
    return made;
}

/* What differs is not an error: a trace is nothing that a result depends on. */
void trace_file_agree(MPI_Comm all)
{
    uint64_t mine = digest(), range[2] = {mine, ~mine};

    if (simulated())
        return;
    native_mpi.Allreduce(MPI_IN_PLACE, range, 2, MPI_UINT64_T, MPI_MIN, all);
    if (range[0] == 0 && ~range[1] == 0)
        return;
    if (range[0] != ~range[1]) {
        env_say("TUTTI_TRACE or TUTTI_TRACE_EVENTS differs between ranks; no trace is "
                "written");
        give_up();
        return;
    }
    if (!make_ranks(all)) {
        give_up();
        return;
    }
    PMPI_Comm_rank(ranks, &me);
    PMPI_Comm_size(ranks, &p);
    if (!read_clocks(0))
        give_up();
}

/* ---- the file, on the first rank ---- */

typedef struct file {
    char name[PATH_MAX], made[PATH_MAX + 32]; /* written as */
    FILE *out;
    int error; /* the first one: errno */
} file;

static void note_error(file *f, bool failed)
{
    if (failed && !f->error)
        f->error = errno ? errno : EIO;
}

/* A job that was spawned has the same environment as its parent. */
static void file_open(file *f)
{
    MPI_Comm parent = MPI_COMM_NULL;
    bool there;

    PMPI_Comm_get_parent(&parent);
    snprintf(f->name, sizeof f->name, parent == MPI_COMM_NULL ? "%s" : "%s.%ld", env_given.trace,
             (long)getpid());
    there = in_place_wanted(f->name);
    if (there)
        snprintf(f->made, sizeof f->made, "%s", f->name);
    else
        snprintf(f->made, sizeof f->made, "%s.%ld.part", f->name, (long)getpid());
    errno = 0;
    f->out = there ? in_place_open(f->made) : fopen(f->made, "we");
    note_error(f, !f->out);
}

static void file_write(file *f, const char *text, size_t n)
{
    errno = 0;
    if (!f->error)
        note_error(f, fwrite(text, 1, n, f->out) != n);
}

static void file_close(file *f)
{
    bool renames = strcmp(f->made, f->name) != 0;

    if (f->out) {
        errno = 0;
        note_error(f, fclose(f->out) != 0);
        if (renames && !f->error)
            note_error(f, rename(f->made, f->name) != 0);
        if (renames && f->error)
            unlink(f->made);
    }
    if (f->error)
        env_say_here("TUTTI_TRACE=%s: %s; no trace is written", env_given.trace,
                     strerror(f->error));
}

/* ---- the end ---- */

/* NULL: out of memory. */
static char *make_text(int64_t zero, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    int rank = 0;
    bool good;

    if (!out)
        return NULL;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    good = trace_json(out, me == 0, rank, host, &clock_here, zero);
    if (fclose(out) == 0 && good)
        return text;
    free(text);
    return NULL;
}

/* In pieces, so that the first rank needs no room for all of it. */
static void send_text(const char *text, int64_t size)
{
    PMPI_Send(&size, 1, MPI_INT64_T, 0, TAG, ranks);
    for (int64_t at = 0; at < size; at += CHUNK)
        PMPI_Send(text + at, (int)(size - at < CHUNK ? size - at : CHUNK), MPI_BYTE, 0, TAG, ranks);
}

static void receive_text(file *f, int from, char *room)
{
    int64_t size;

    PMPI_Recv(&size, 1, MPI_INT64_T, from, TAG, ranks, MPI_STATUS_IGNORE);
    for (int64_t at = 0; at < size; at += CHUNK) {
        int n = (int)(size - at < CHUNK ? size - at : CHUNK);
        PMPI_Recv(room, n, MPI_BYTE, from, TAG, ranks, MPI_STATUS_IGNORE);
        file_write(f, room, (size_t)n);
    }
}

static void write_all(file *f, const char *text, size_t size, char *room)
{
    static const char head[] = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", tail[] = "\n]}\n";

    file_write(f, head, sizeof head - 1);
    file_write(f, text, size);
    for (int r = 1; r < p; r++)
        receive_text(f, r, room);
    file_write(f, tail, sizeof tail - 1);
}

/* When the first event of all ranks was. */
static int64_t find_zero(void)
{
    int64_t n, dropped, first = INT64_MAX;
    const trace_event *e = trace_events(&n, &dropped);

    for (int64_t i = 0; i < n; i++) {
        int64_t began = e[i].kind == TRACE_SPAN ? e[i].since : e[i].at;
        first = began < first ? began : first;
    }
    if (n > 0)
        first = trace_common(&clock_here, first);
    native_mpi.Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT64_T, MPI_MIN, ranks);
    return first == INT64_MAX ? 0 : first;
}

static void collect_traces(void)
{
    file f = {.out = NULL};
    size_t size = 0;
    char *text = make_text(find_zero(), &size), *room = me == 0 ? malloc(CHUNK) : NULL;
    bool good = all_have(text && (me > 0 || room));

    if (me == 0 && good)
        file_open(&f);
    else if (me == 0)
        env_say_here("TUTTI_TRACE: out of memory; no trace is written");
    if (good && all_have(me > 0 || f.out)) {
        if (me == 0)
            write_all(&f, text, size, room);
        else
            send_text(text, (int64_t)size);
    }
    if (me == 0 && good)
        file_close(&f);
    free(room);
    free(text);
}

void trace_file_end(void)
{
    int processes = 0;

    if (!trace_is_on()) {
        trace_free();
        return;
    }
    PMPI_Comm_size(MPI_COMM_WORLD, &processes);
    if (ranks == MPI_COMM_NULL && processes == 1)
        trace_file_agree(MPI_COMM_SELF); /* it has needed no channel */
    trace_stop();
    if (ranks == MPI_COMM_NULL)
        env_say("TUTTI_TRACE: no trace is written: the ranks have never communicated; call "
                "tutti_init");
    else if (read_clocks(1))
        collect_traces();
    give_up();
    trace_free();
}
