/* SPDX-License-Identifier: BSD-3-Clause */
/* stats_wish.c - read the value of TUTTI_STATS. */
#include "nbc/process/stats_wish.h"

#include <string.h>

/* "summary", "json:FILE": n characters. */
static bool read_word(const char *word, size_t n, stats_wish *wish)
{
    static const char *const names[] = {[STATS_TABLE] = "summary", [STATS_JSON] = "json"};

    for (int k = 0; k < STATS_KINDS; k++) {
        size_t length = strlen(names[k]);
        if (n < length || memcmp(word, names[k], length) != 0 || wish->job[k].wanted)
            continue;
        if (n > length && (word[length] != ':' || n == length + 1 || n - length > STATS_FILE))
            continue;
        wish->job[k].wanted = true;
        if (n > length)
            memcpy(wish->job[k].file, word + length + 1, n - length - 1);
        return true;
    }
    return false;
}

bool stats_wish_read(const char *value, stats_wish *wish)
{
    *wish = (stats_wish){.times = value && strcmp(value, "0") != 0};
    if (!wish->times || strcmp(value, "1") == 0)
        return true;
    for (const char *at = value;; at++) {
        size_t n = strcspn(at, ",");
        if (!read_word(at, n, wish)) {
            *wish = (stats_wish){0};
            return false;
        }
        at += n;
        if (!*at)
            return true;
    }
}
