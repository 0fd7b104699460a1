/* SPDX-License-Identifier: BSD-3-Clause */
/* settings.h - the table of settings.def. Pure: what is set is for env.h. */
#ifndef TUTTI_SETTINGS_H
#define TUTTI_SETTINGS_H

enum {
    SETTING_VARIABLE = 1,
    SETTING_INIT = 2,
    SETTING_COMM = 4,
    SETTING_THREAD = 8,
    SETTING_NAME = 64 /* no name is longer, with its final 0 */
};

typedef struct setting {
    int where;
    const char *name, *values, *usual, *variable, *meaning;
} setting;

extern const setting setting_table[];
extern const int setting_count;

/* With the name of this coll_kind instead of *. */
void setting_name_for(const char *pattern, int kind, char name[SETTING_NAME]);

/* The environment variables one by one, with the name of each collective instead of *: the row
 * of variable i, counted from 0, and its name; NULL after the last one. */
const setting *setting_variable(int i, char name[SETTING_NAME]);

/* Where an info key is read, for people: "init, comm_set_hints"; "environment" of a variable. At
 * most size bytes with the final 0. */
void setting_print_where(const setting *s, char *text, int size);

#endif
