/* SPDX-License-Identifier: BSD-3-Clause */
/* stats_wish.h - what TUTTI_STATS asks for. */
#ifndef TUTTI_STATS_WISH_H
#define TUTTI_STATS_WISH_H

#include <stdbool.h>

enum { STATS_FILE = 1024 };

typedef enum stats_kind { STATS_TABLE, STATS_JSON, STATS_KINDS } stats_kind;

typedef struct stats_wish {
    bool times; /* of persistent requests, for tutti_get_stats */
    struct {
        bool wanted;
        char file[STATS_FILE]; /* empty: stderr */
    } job[STATS_KINDS];        /* of the whole job, when MPI_Finalize begins */
} stats_wish;

/* NULL: not set. False: a wrong value, then nothing is asked for. */
bool stats_wish_read(const char *value, stats_wish *wish);

#endif
