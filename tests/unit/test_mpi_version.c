/* SPDX-License-Identifier: BSD-3-Clause */
/* test_mpi_version.c - what MPIs say of themselves, and what is read of it. */
#include "tune/mpi_version.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void versions_are_read_with_letters_and_tabs(void **state)
{
    static const struct said {
        const char *text;
        mpi_family family;
        int number;
    } said[] = {
        {"Open MPI v4.1.4, package: Debian OpenMPI", MPI_FAMILY_OPENMPI, 40104},
        {"Open MPI v5.0.7, package: Debian OpenMPI", MPI_FAMILY_OPENMPI, 50007},
        {"Open MPI v6.0.0rc2, package: Debian OpenMPI", MPI_FAMILY_OPENMPI, 60000},
        {"Open MPI v5.1.0a1, package: Open MPI", MPI_FAMILY_OPENMPI, 50100},
        {"MPICH Version:\t4.0.2\nMPICH Release date:\tThu", MPI_FAMILY_MPICH, 40002},
        {"MPICH Version:      4.3.0a1\nMPICH Release date:", MPI_FAMILY_MPICH, 40300},
        {"MPICH Version:      5.0\n", MPI_FAMILY_MPICH, 50000},
        {"MPICH Version: unknown", MPI_FAMILY_MPICH, 0},
        {"MPICH Version: -4.-1.2", MPI_FAMILY_MPICH, 0},
        {"MPICH Version: 99999999999", MPI_FAMILY_MPICH, 9990000},
        /* relatives have numbers of their own */
        {"IBM Spectrum MPI v10.4.0.6rtm2, built on ...", MPI_FAMILY_OPENMPI, 0},
        {"FUJITSU MPI Library 4.0.1", MPI_FAMILY_OPENMPI, 0},
        {"MVAPICH Version      :\t3.0\n", MPI_FAMILY_MPICH, 0},
        {"Intel(R) MPI Library 2021.11 for Linux* OS\n", MPI_FAMILY_MPICH, 0},
        {"MVAPICH2 Version      :\t2.3.7\n", MPI_FAMILY_MPICH, 0},
        {"MPI VERSION    : CRAY MPICH version 8.1.25.17 (ANL base 3.4a2)\n", MPI_FAMILY_MPICH, 0},
        {"", MPI_FAMILY_MPICH, 0},
    };

    (void)state;
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        mpi_version v = mpi_version_read(said[i].text);
        assert_int_equal(v.family, said[i].family);
        assert_int_equal(v.number, said[i].number);
    }
}

static void the_name_is_the_first_part_without_tabs(void **state)
{
    char mpich[] = "MPICH Version:\t4.0.2\nMPICH Release date:\tThu", none[] = "";
    char open[] = "Open MPI v6.0.0rc2, package: Debian\tOpenMPI";

    (void)state;
    mpi_version_shorten(mpich);
    assert_string_equal(mpich, "MPICH Version: 4.0.2");
    mpi_version_shorten(open);
    assert_string_equal(open, "Open MPI v6.0.0rc2");
    mpi_version_shorten(none);
    assert_string_equal(none, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_read_with_letters_and_tabs),
        cmocka_unit_test(the_name_is_the_first_part_without_tabs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
