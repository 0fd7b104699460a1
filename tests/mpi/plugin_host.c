/* SPDX-License-Identifier: BSD-3-Clause */
/* plugin_host.c PLUGIN: a program without Tutti, which loads a plug-in, runs it, unloads it, goes
 * on with MPI and finalizes. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

typedef union symbol { /* ISO C has no conversion from void * to a function */
    void *object;
    int (*function)(void);
} symbol;

static int run_plugin(const char *file)
{
    void *plugin = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    symbol run = {.object = plugin ? dlsym(plugin, "plugin_run") : NULL};
    int wrong = -1;

    if (run.object)
        wrong = run.function();
    else
        fprintf(stderr, "%s\n", dlerror());
    if (plugin)
        dlclose(plugin);
    return wrong;
}

int main(int argc, char **argv)
{
    int wrong, sum = 0, bad = 0;

    MPI_Init(&argc, &argv);
    for (int time = 0; time < 2 && !bad; time++) {
        wrong = argc > 1 ? run_plugin(argv[1]) : -1;
        for (int i = 0; i < 100; i++)
            MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
        bad = wrong != 0 || sum != 0;
    }
    MPI_Finalize();
    puts(bad ? "wrong" : "right");
    return bad;
}
