/* SPDX-License-Identifier: BSD-3-Clause */
/* test_wisdom_file.c - wisdom in files: what is saved is loaded again, and nothing is lost if
 * a file has something else in it, a write fails, or several processes save at a time. */
#define _XOPEN_SOURCE 700 /* mkdtemp, popen */
#include "nbc/process/wisdom_file.h"
#include "unit/wisdom_made.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

static char folder[64], file[96];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/tutti_wisdom_XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(file, sizeof file, "%s/wisdom", folder);
    return 0;
}

static int files_in_folder(void)
{
    char command[128];
    int n;
    FILE *in;

    snprintf(command, sizeof command, "ls -A %s | wc -l", folder);
    assert_non_null(in = popen(command, "r"));
    assert_int_equal(fscanf(in, "%d", &n), 1);
    pclose(in);
    return n;
}

static int drop_folder(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void save(wisdom *w)
{
    char why[300];

    if (!wisdom_save(file, w, mpi, why, sizeof why))
        fail_msg("%s", why);
}

static void what_is_saved_is_loaded(void **state)
{
    char why[300];
    wisdom *w = few(), *more = wisdom_make(), *back;
    struct stat s;
    mode_t mask = umask(027);

    (void)state;
    assert_null(wisdom_load(file, mpi, why, sizeof why));
    assert_non_null(strstr(why, "No such file"));
    save(w);
    umask(mask);
    assert_int_equal(stat(file, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0640);
    add_verdict(more, 64, 4096, "node:8", "ring");
    add_verdict(more, 64, 8192, "node:8", "ring");
    save(more);
    assert_int_equal(stat(file, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0640);
    assert_int_equal(wisdom_count(more), 2);
    back = wisdom_load(file, mpi, why, sizeof why);
    assert_int_equal(wisdom_count(back), 3);
    assert_true(wisdom_merge(w, more));
    assert_same(back, w);
    assert_int_equal(files_in_folder(), 1);
    wisdom_free(back);
    wisdom_free(more);
    wisdom_free(w);
}

static void what_is_refused_is_kept_aside(void **state)
{
    char why[300], kept[128];
    wisdom *w = few(), *back;

    (void)state;
    snprintf(kept, sizeof kept, "%s.refused", file);
    assert_true(wisdom_save(file, w, "Other MPI", why, sizeof why));
    assert_null(wisdom_load(file, mpi, why, sizeof why));
    assert_non_null(strstr(why, "another MPI"));
    save(w);
    assert_non_null(back = wisdom_load(kept, "Other MPI", why, sizeof why));
    wisdom_free(back);
    assert_non_null(back = wisdom_load(file, mpi, why, sizeof why));
    wisdom_free(back);
    assert_int_equal(files_in_folder(), 2);
    assert_true(wisdom_save(file, w, "Third MPI", why, sizeof why));
    assert_non_null(strstr(why, "could not be read; it is kept as "));
    assert_non_null(strstr(why, ".refused.2"));
    assert_non_null(back = wisdom_load(kept, "Other MPI", why, sizeof why));
    wisdom_free(back);
    assert_true(wisdom_save(file, w, "Third MPI", why, sizeof why));
    assert_string_equal(why, "");
    wisdom_free(w);
}

static void what_is_no_wisdom_is_not_replaced(void **state)
{
    static const char *const texts[] = {"int main(void)", "tutti wisdo", "tutti constants 1\n"};
    char why[300], text[50];
    wisdom *w = few();

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        FILE *f = fopen(file, "w");
        assert_non_null(f);
        fputs(texts[i], f);
        fclose(f);
        assert_false(wisdom_save(file, w, mpi, why, sizeof why));
        assert_non_null(strstr(why, "the file does not begin like a file of wisdom"));
        assert_non_null(f = fopen(file, "r"));
        assert_non_null(fgets(text, sizeof text, f));
        assert_string_equal(text, texts[i]);
        fclose(f);
    }
    assert_int_equal(truncate(file, 0), 0);
    save(w);
    assert_int_equal(files_in_folder(), 1);
    wisdom_free(w);
}

static void only_files_are_read_and_replaced(void **state)
{
    char why[300];
    wisdom *w = few();

    (void)state;
    alarm(20);
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_null(wisdom_load(file, mpi, why, sizeof why));
    assert_non_null(strstr(why, "not a file"));
    assert_false(wisdom_save(file, w, mpi, why, sizeof why));
    assert_null(wisdom_load(folder, mpi, why, sizeof why));
    assert_false(wisdom_save(folder, w, mpi, why, sizeof why));
    assert_int_equal(files_in_folder(), 1);
    unlink(file);
    save(w);
    assert_int_equal(truncate(file, WISDOM_FILE + 1), 0);
    assert_null(wisdom_load(file, mpi, why, sizeof why));
    assert_non_null(strstr(why, "too large"));
    alarm(0);
    wisdom_free(w);
}

/* Whoever has made it is gone: it is waited for once. */
static void a_lock_that_is_left_is_removed(void **state)
{
    char lock[128];
    wisdom *w = few();
    FILE *f;

    (void)state;
    snprintf(lock, sizeof lock, "%s.lock", file);
    assert_non_null(f = fopen(lock, "w"));
    fclose(f);
    save(w);
    assert_int_equal(files_in_folder(), 1);
    wisdom_free(w);
}

static void a_link_stays_a_link(void **state)
{
    char target[128];
    struct stat s;
    wisdom *w = few();

    (void)state;
    snprintf(target, sizeof target, "%s/there", folder);
    save(w);
    assert_int_equal(rename(file, target), 0);
    assert_int_equal(symlink(target, file), 0);
    save(w);
    assert_int_equal(lstat(file, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    wisdom_free(w);
}

/* More than 1 KiB does not fit. */
static void a_failed_write_leaves_what_was(void **state)
{
    struct rlimit was, small;
    char why[300];
    wisdom *w = few(), *all = every_algorithm(), *back;
    bool saved;

    (void)state;
    save(w);
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &was);
    small = (struct rlimit){1024, was.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    saved = wisdom_save(file, all, mpi, why, sizeof why);
    setrlimit(RLIMIT_FSIZE, &was);
    assert_false(saved);
    assert_non_null(strstr(why, "too large"));
    assert_null(strchr(why, '\n'));
    assert_non_null(back = wisdom_load(file, mpi, why, sizeof why));
    assert_same(back, w);
    assert_int_equal(files_in_folder(), 1);
    assert_false(wisdom_save("/nonexistent/wisdom", w, mpi, why, sizeof why));
    wisdom_free(back);
    wisdom_free(all);
    wisdom_free(w);
}

enum { SAVES = 50, EACH = 200 };

static wisdom *writers(const char *name)
{
    wisdom *w = wisdom_make();

    for (int p = 3; p < 3 + EACH; p++)
        add_verdict(w, p, 4096, "one-place", name);
    return w;
}

static pid_t start_writer(const char *name)
{
    pid_t pid = fork();

    if (pid == 0) {
        char why[300];
        wisdom *w = writers(name);
        for (int i = 0; i < SAVES; i++)
            if (!wisdom_save(file, w, mpi, why, sizeof why))
                _exit(1);
        wisdom_free(w);
        _exit(0);
    }
    return pid;
}

static int ended_now(pid_t pid)
{
    int status = 0;
    bool ended = waitpid(pid, &status, WNOHANG) == pid;

    assert_int_equal(status, 0);
    return ended;
}

static void who_loads_gets_all_of_one(void **state)
{
    pid_t a, b;
    int loads = 0, ended = 0;
    wisdom *w = writers("ring");

    (void)state;
    save(w);
    wisdom_free(w);
    a = start_writer("ring");
    b = start_writer("rabenseifner");
    for (; ended < 2; ended += ended_now(a) + ended_now(b)) { /* a second time: no such child */
        char why[300];
        const verdict *v = NULL;
        int algo;
        w = wisdom_load(file, mpi, why, sizeof why);
        if (!w)
            fail_msg("%s", why);
        assert_int_equal(wisdom_count(w), EACH);
        algo = wisdom_next(w, NULL)->choice.algo;
        while ((v = wisdom_next(w, v)))
            assert_int_equal(v->choice.algo, algo);
        wisdom_free(w);
        loads++;
    }
    assert_true(loads > 5);
    assert_int_equal(files_in_folder(), 1);
}

#define WITH_FILES(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FILES(what_is_saved_is_loaded),           WITH_FILES(what_is_refused_is_kept_aside),
        WITH_FILES(what_is_no_wisdom_is_not_replaced), WITH_FILES(only_files_are_read_and_replaced),
        WITH_FILES(a_lock_that_is_left_is_removed),    WITH_FILES(a_link_stays_a_link),
        WITH_FILES(a_failed_write_leaves_what_was),    WITH_FILES(who_loads_gets_all_of_one),
    };

    return cmocka_run_group_tests_name("wisdom_file", tests, NULL, NULL);
}
