/* SPDX-License-Identifier: BSD-3-Clause */
/* info.h - the parts of tutti-info: the registry of algorithms (info_algorithms.c), everything that
 * can be set (info_settings.c), all of it as JSON (info_json.c).
 */
#ifndef TUTTI_INFO_TOOL_H
#define TUTTI_INFO_TOOL_H

#include "nbc/process/settings.h"

#include <stdbool.h>

void info_print_algorithms(void);

/* Every variable and info key, and what is in force here. After tutti_init. */
void info_print_settings(void);

/* What is in force of a setting, by this name (a variable, or an info key): the value that is set,
 * by *set, or else the default. After tutti_init. */
const char *info_in_force(const setting *s, const char *name, bool *set);

/* Print one JSON object: all that there is, or the algorithms only. Of the former rank 0 prints,
 * and all call. False: it failed. */
bool info_print_json(void);
bool info_print_json_algorithms(void);

#endif
