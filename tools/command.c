/* SPDX-License-Identifier: BSD-3-Clause */
/* command.c - see command.h. */
#include "command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Variables of Open MPI, PMIx, PMI (MPICH, Intel MPI), Slurm. */
static const struct launcher {
    const char *rank, *size; /* variables; NULL: it gives none */
} launchers[] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                 {"PMIX_RANK", NULL},
                 {"PMI_RANK", "PMI_SIZE"},
                 {"SLURM_PROCID", NULL} /* its size is that of the allocation */};

/* NULL: the process is no rank of a job. */
static const struct launcher *launcher_here(void)
{
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++)
        if (getenv(launchers[i].rank))
            return &launchers[i];
    return NULL;
}

bool command_speaks(void)
{
    const struct launcher *l = launcher_here();

    return !l || strcmp(getenv(l->rank), "0") == 0;
}

int command_launched(void)
{
    const struct launcher *l = launcher_here();
    const char *size = l && l->size ? getenv(l->size) : NULL;

    return size ? atoi(size) : 0;
}

void command_version(const char *name)
{
    if (!command_speaks())
        return;
    printf("%s (Tutti) %s\n"
           "Built for %s.\n\n"
           "Copyright (c) 2026, the Tutti authors.\n"
           "License BSD-3-Clause: free to use, change and pass on; there is no warranty.\n",
           name, TUTTI_VERSION, TUTTI_MPI);
}

void command_wrong(command *c, const char *word, const char *what, const word_guess *guess)
{
    const char *meant = guess ? word_meant(guess) : "";

    if (*c->error)
        return;
    snprintf(c->error, sizeof c->error, "%s: %.100s: %.160s; %s%s%stry '%s%s'", c->name, word, what,
             *meant ? "did you mean " : "", meant, *meant ? "? " : "", c->help ? c->help : c->name,
             c->help ? "" : " --help");
}

/* `word` begins the names of how many long options? */
static int begins(const char *word, size_t length, const struct option known[])
{
    int n = 0;

    for (; known->name; known++)
        n += strncmp(word, known->name, length) == 0;
    return n;
}

/* Is it --name=value, of the option that getopt_long complains of? With an unknown letter in a word
 * of several it may be the word before. */
static bool has_value(const char *word, const struct option known[])
{
    size_t length = strcspn(word, "=");

    if (strncmp(word, "--", 2) != 0 || word[length] != '=')
        return false;
    for (; known->name; known++)
        if (known->val == optopt && strncmp(word + 2, known->name, length - 2) == 0)
            return true;
    return false;
}

void command_wrong_option(command *c, int result, char **argv, const struct option known[])
{
    const char *word = argv[optind - 1];
    char name[64], letter[3] = {'-', (char)optopt, '\0'};
    word_guess g = {.wrong = name};
    bool several;

    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    if (result == ':') {
        command_wrong(c, strncmp(name, "--", 2) == 0 ? name : letter, "needs a value", NULL);
        return;
    }
    if (optopt && has_value(word, known)) {
        command_wrong(c, name, "takes no value", NULL);
        return;
    }
    if (optopt < 0 || optopt > 127) { /* of a letter of several bytes that is the first one */
        const char *at = argv[optind] && strchr(argv[optind], optopt) ? argv[optind] : word;
        command_wrong(c, at, "no such option", NULL);
        return;
    }
    if (optopt) { /* maybe inside a word of several */
        command_wrong(c, letter, "no such option", NULL);
        return;
    }
    several = strlen(name) > 2 && begins(name + 2, strlen(name) - 2, known) > 1;
    for (const struct option *o = known; o->name; o++) {
        char dashed[64];
        snprintf(dashed, sizeof dashed, "--%s", o->name);
        word_try(&g, dashed);
    }
    command_wrong(c, name, several ? "could be several options" : "no such option", &g);
}

int command_refuse(const command *c)
{
    const struct timespec moment = {.tv_nsec = 300000000};

    if (!*c->error)
        return 0;
    if (command_speaks())
        fprintf(stderr, "%s\n", c->error);
    else
        nanosleep(&moment, NULL);
    return 2;
}

int command_end(const char *name, int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "%s: standard output could not be written\n", name);
    return status ? status : 2;
}
