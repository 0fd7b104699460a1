/* SPDX-License-Identifier: BSD-3-Clause */
/* info_no_json.c - instead of info_json.c where there is no jansson. */
#include "info.h"

#include <stdio.h>

bool info_print_json(void)
{
    fprintf(stderr, "tutti-info: --json: not in this build, which was made without jansson\n");
    return false;
}

bool info_print_json_algorithms(void)
{
    return info_print_json();
}
