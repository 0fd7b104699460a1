/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.c - see machine.h. */
#include "machine.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* "Open MPI v4.1.4, package: ...", "MPICH Version:\t4.0.2\n...", "SMPI Version 3.32. Copyright
 * ...": a name, and the version after it, which may have letters: 6.0.0rc2. */
static void look_mpi(machine *m)
{
    static const char *const names[][2] = {
        {"Open MPI", "Open MPI"}, {"MPICH", "MPICH"}, {"SMPI", "SimGrid"}};
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;

    MPI_Get_library_version(text, &length);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i][0], strlen(names[i][0])) == 0) {
            const char *version = strpbrk(text, "0123456789");
            int n = version ? (int)strcspn(version, ", \t\n") : 0;
            if (n && version[n - 1] == '.')
                n--;
            snprintf(m->mpi, sizeof m->mpi, "%s %.*s", names[i][1], n, version ? version : "");
            return;
        }
    snprintf(m->mpi, sizeof m->mpi, "%.*s", (int)strcspn(text, "\n,"), text);
}

#ifdef TUTTI_SIMULATED
static void look_host(machine *m)
{
    m->processors = 0;
}
#else
/* Linux names processors of most kinds; where it does not, uname's word must do. */
static void look_processor(machine *m)
{
    FILE *info = fopen("/proc/cpuinfo", "r");
    char line[256];

    while (info && fgets(line, sizeof line, info)) {
        char *value = strstr(line, ": ");
        if (!value || strncmp(line, "model name", 10) != 0)
            continue;
        value[strcspn(value, "\n")] = '\0';
        snprintf(m->processor, sizeof m->processor, "%.*s", MACHINE_TEXT - 1, value + 2);
        break;
    }
    if (info)
        fclose(info);
}

static void look_host(machine *m)
{
    struct utsname u;
    long online = sysconf(_SC_NPROCESSORS_ONLN);

    m->processors = online > 0 ? (int)online : 0;
    look_processor(m);
    if (uname(&u) != 0)
        return;
    snprintf(m->host, sizeof m->host, "%.*s", MACHINE_TEXT - 1, u.nodename);
    snprintf(m->system, sizeof m->system, "%.30s %.60s %.30s", u.sysname, u.release, u.machine);
    if (!*m->processor)
        snprintf(m->processor, sizeof m->processor, "%.*s", MACHINE_TEXT - 1, u.machine);
}
#endif

void machine_look(machine *m)
{
    memset(m, 0, sizeof *m);
    look_mpi(m);
    look_host(m);
}
