/* SPDX-License-Identifier: BSD-3-Clause */
/* table.c - what a program may consist of. A collective that Tutti takes over gets the trait OURS
 * and loses BLOCKS and COLLECTIVE; everything else follows from its row. */
#include "rows.h"

#define NATIVE(text, kind, likely)                                                                 \
    {                                                                                              \
        .name = text, .weight = likely, .traits = BLOCKS | COLLECTIVE,                             \
        .generate = generate_on_any, .start = native_run, .release = native_release,               \
        .argument = kind                                                                           \
    }

#define NATIVE_I(text, kind, likely)                                                               \
    {                                                                                              \
        .name = text, .weight = likely, .traits = LOCAL | COLLECTIVE, .generate = generate_on_any, \
        .start = native_start, .check = native_check, .release = native_release, .argument = kind  \
    }

#define MAKE(text, kind, likely)                                                                   \
    {                                                                                              \
        .name = text, .weight = likely, .traits = BLOCKS | COLLECTIVE | MAKES,                     \
        .generate = make_generate, .start = make_start, .argument = kind                           \
    }

#define LETTERS .part = letters_part, .check = letters_check

const operation operations[] = {
    {.name = "ours_blocking",
     .weight = 60,
     .traits = OURS,
     .generate = ours_generate,
     .start = ours_run,
     .release = ours_release},
    {.name = "ours_nonblocking",
     .weight = 200,
     .traits = LOCAL | OURS,
     .generate = ours_generate,
     .start = ours_start,
     .check = ours_check,
     .release = ours_release},
    {.name = "ours_init",
     .weight = 50,
     .traits = OURS | PERSISTENT,
     .generate = ours_generate,
     .start = ours_init,
     .release = ours_release},
    {.name = "ours_restart",
     .weight = 150,
     .traits = LOCAL | OURS | PERSISTENT,
     .generate = ours_generate_restart,
     .start = ours_restart,
     .check = ours_recheck},
    {.name = "ours_free",
     .weight = 10,
     .traits = LOCAL | OURS | PERSISTENT,
     .generate = ours_generate_free,
     .start = ours_unmake},

    NATIVE("barrier", BARRIER, 6),
    NATIVE("bcast", BCAST, 6),
    NATIVE("reduce", REDUCE, 4),
    NATIVE("allreduce", ALLREDUCE, 8),
    NATIVE("scan", SCAN, 4),
    NATIVE("exscan", EXSCAN, 3),
    NATIVE("reduce_scatter_block", REDUCE_SCATTER_BLOCK, 4),
    NATIVE("gather", GATHER, 3),
    NATIVE("scatter", SCATTER, 3),
    NATIVE("allgather", NATIVE_ALLGATHER, 4),
    NATIVE("alltoall", NATIVE_ALLTOALL, 4),
    NATIVE_I("ibarrier", BARRIER, 12),
    NATIVE_I("ibcast", BCAST, 15),
    NATIVE_I("ireduce", REDUCE, 6),
    NATIVE_I("iallreduce", ALLREDUCE, 15),
    NATIVE_I("iscan", SCAN, 5),
    NATIVE_I("iexscan", EXSCAN, 4),
    NATIVE_I("ireduce_scatter_block", REDUCE_SCATTER_BLOCK, 5),
    NATIVE_I("igather", GATHER, 8),
    NATIVE_I("iscatter", SCATTER, 5),
    NATIVE_I("iallgather", NATIVE_ALLGATHER, 8),
    NATIVE_I("ialltoall", NATIVE_ALLTOALL, 6),

    MAKE("comm_dup", DUP, 12),
    MAKE("comm_split", SPLIT, 12),
    MAKE("comm_create", CREATE, 7),
    MAKE("comm_create_group", CREATE_GROUP, 7),
    MAKE("cart_create", CART, 5),
    MAKE("comm_dup_self", DUP_SELF, 7),
    MAKE("comm_idup", IDUP, 6),
    {.name = "comm_free",
     .weight = 12,
     .traits = BLOCKS | COLLECTIVE,
     .generate = free_generate,
     .start = free_start},
    {.name = "attribute", .weight = 15, .generate = attribute_generate, .start = attribute_start},
    {.name = "win_allocate",
     .weight = 6,
     .traits = BLOCKS | COLLECTIVE,
     .generate = window_generate,
     .start = window_start},

    {.name = "letters",
     .weight = 50,
     .traits = LOCAL,
     .generate = letters_generate,
     .start = letters_start,
     LETTERS,
     .release = letters_release},
    {.name = "letters_blocking",
     .weight = 15,
     .traits = BLOCKS,
     .generate = letters_generate_named,
     .start = letters_run,
     LETTERS,
     .release = letters_release},
    {.name = "letters_probe",
     .weight = 20,
     .traits = BLOCKS,
     .generate = letters_generate,
     .start = letters_probe,
     LETTERS,
     .release = letters_release},
    {.name = "letters_init",
     .weight = 8,
     .generate = letters_generate_named,
     .start = letters_init,
     .release = letters_release},
    {.name = "letters_restart",
     .weight = 30,
     .traits = LOCAL,
     .generate = letters_generate_restart,
     .start = letters_restart,
     LETTERS},
    {.name = "letters_free",
     .weight = 3,
     .traits = LOCAL,
     .generate = letters_generate_free,
     .start = letters_unmake},
};
const int operation_count = sizeof operations / sizeof *operations;
