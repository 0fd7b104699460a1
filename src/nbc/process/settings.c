/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.c - see settings.h. */
#include "nbc/process/settings.h"

#include "nbc/sched/coll.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

const setting setting_table[] = {
#define SETTING(where, name, values, usual, variable, meaning)                                     \
    {where, name, values, usual, variable, meaning},
#include "nbc/process/settings.def"
#undef SETTING
};
const int setting_count = sizeof setting_table / sizeof *setting_table;

void setting_name_for(const char *pattern, int kind, char name[SETTING_NAME])
{
    int n = (int)strcspn(pattern, "*");

    snprintf(name, SETTING_NAME, "%.*s%s", n, pattern, coll_kind_name((coll_kind)kind));
    for (; name[n]; n++)
        name[n] = (char)toupper((unsigned char)name[n]);
}

const setting *setting_variable(int i, char name[SETTING_NAME])
{
    for (const setting *s = setting_table; s < setting_table + setting_count; s++) {
        int n = strchr(s->name, '*') ? COLL_KINDS : 1;
        if (!(s->where & SETTING_VARIABLE))
            continue;
        if (i >= n) {
            i -= n;
            continue;
        }
        if (n > 1)
            setting_name_for(s->name, i, name);
        else
            snprintf(name, SETTING_NAME, "%s", s->name);
        return s;
    }
    return NULL;
}

void setting_print_where(const setting *s, char *text, int size)
{
    static const struct {
        int bit;
        const char *name;
    } kinds[] = {{SETTING_VARIABLE, "environment"},
                 {SETTING_INIT, "init"},
                 {SETTING_COMM, "comm_set_hints"},
                 {SETTING_THREAD, "progress_thread_start"}};
    int n = 0;

    *text = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && n < size; i++)
        if (s->where & kinds[i].bit)
            n += snprintf(text + n, (size_t)(size - n), "%s%s", n ? ", " : "", kinds[i].name);
}
