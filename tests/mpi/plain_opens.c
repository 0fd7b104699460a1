/* SPDX-License-Identifier: BSD-3-Clause */
/* plain_opens.c - a program that opens and closes libraries of its own between collectives: the
 * library must neither keep them open nor wait for the loader.
 * TEST_OPENED and TEST_OPENED_CALLS name those of opened.c.
 */
#include "mpi/mpi_test.h"

#include <dlfcn.h>
#include <stdlib.h>

static void call(void)
{
    int one = 1, sum;

    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void what_is_closed_is_gone(void)
{
    const char *counts = getenv("TEST_OPENED");

    call();
    for (int i = 0; i < 3; i++) {
        union {
            void *object;
            int (*function)(void);
        } asked;
        void *opened = dlopen(counts, RTLD_NOW);
        CHECK(opened != NULL);
        CHECK((asked.object = dlsym(opened, "opened_asked")) != NULL);
        CHECK(asked.function() == 1);
        call();
        dlclose(opened);
        CHECK(!dlopen(counts, RTLD_NOW | RTLD_NOLOAD));
        call();
    }
}

static void a_constructor_may_wait_for_a_call(void)
{
    void *opened;

    call();
    CHECK((opened = dlopen(getenv("TEST_OPENED_CALLS"), RTLD_NOW)) != NULL);
    call();
    dlclose(opened);
}

int main(int argc, char **argv)
{
    static const mpi_test tests[] = {
        MPI_TEST(what_is_closed_is_gone),
        MPI_TEST(a_constructor_may_wait_for_a_call),
    };

    return mpi_test_main(argc, argv, "opens", tests, sizeof tests / sizeof *tests);
}
