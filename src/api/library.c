/* library.c - the calls that are about the library itself. */
#include "nbc/driver.h"
#include "nbc/engine.h"
#include "nbc/library.h"

#include <tutti.h>

int tutti_progress(void)
{
    engine_progress();
    return MPI_SUCCESS;
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
