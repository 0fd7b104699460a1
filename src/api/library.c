/* library.c - the calls that are about the library itself. */
#include "nbc/comm.h"
#include "nbc/driver.h"
#include "nbc/engine.h"
#include "nbc/library.h"
#include "topo/pu.h"

#include <stdlib.h>
#include <string.h>
#include <tutti.h>

int tutti_progress(void)
{
    engine_progress(NULL);
    return MPI_SUCCESS;
}

/* MPI_ERR_OTHER is not raised: MPI does not run, there is no handler. */
static int enter(void)
{
    int error = library_enter();

    return error && error != MPI_ERR_OTHER ? comm_raise(NULL, error) : error;
}

/* The unit that info asks for. */
static int unit_from(MPI_Info info, int *pu)
{
    char text[MPI_MAX_INFO_VAL + 1], *end;
    int flag = 0;
    long number;

    *pu = PU_DEFAULT;
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    if (PMPI_Info_get(info, "tutti_cpu", MPI_MAX_INFO_VAL, text, &flag) != MPI_SUCCESS)
        return MPI_ERR_INFO;
    if (!flag)
        return MPI_SUCCESS;
    if (strcmp(text, "none") == 0) {
        *pu = PU_NONE;
        return MPI_SUCCESS;
    }
    number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < 0 || number > 1000000)
        return MPI_ERR_INFO_VALUE;
    *pu = (int)number;
    return MPI_SUCCESS;
}

int tutti_progress_thread_start(MPI_Info info)
{
    int pu, error = enter();

    if (error)
        return error;
    error = unit_from(info, &pu);
    if (!error)
        error = driver_thread_start(pu);
    return error ? comm_raise(NULL, error) : MPI_SUCCESS;
}

int tutti_progress_thread_stop(void)
{
    int error = enter();

    if (error)
        return error;
    error = driver_thread_stop();
    return error ? comm_raise(NULL, error) : MPI_SUCCESS;
}

void tutti_version(int *major, int *minor, int *patch)
{
    *major = TUTTI_VERSION_MAJOR;
    *minor = TUTTI_VERSION_MINOR;
    *patch = TUTTI_VERSION_PATCH;
}

int tutti_progress_driver(const char **name, const char **reason)
{
    int error = library_enter();

    if (error)
        return error;
    *name = library_driver()->name;
    *reason = library_driver_reason();
    return MPI_SUCCESS;
}
