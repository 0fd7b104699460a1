/* SPDX-License-Identifier: BSD-3-Clause */
/* npy.c - see npy.h. */
#include "npy.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The magic string, two bytes of version, and two or four of length, before the text. */
enum { MAGIC = 6, LENGTH_AT = 8, MOST_TEXT = 1 << 20, ALIGNMENT = 64 };

static const char magic[] = "\x93NUMPY";

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ORDER "<"
#else
#define ORDER ">"
#endif
static const char *const types[] = {
    [KIND_U8] = ORDER "u8", [KIND_I8] = ORDER "i8", [KIND_F8] = ORDER "f8"};

static int my_rank(void)
{
    int rank;

    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* Right on all ranks? If not, rank 0 says what is wrong with the file on one where it is. */
static bool agreed(const char *path, const char *wrong)
{
    struct {
        int none, rank;
    } mine = {wrong == NULL, my_rank()}, all;
    char text[MPI_MAX_ERROR_STRING + 1] = "";

    MPI_Allreduce(&mine, &all, 1, MPI_2INT, MPI_MINLOC, MPI_COMM_WORLD);
    if (all.none)
        return true;
    if (wrong)
        snprintf(text, sizeof text, "%s", wrong);
    MPI_Bcast(text, sizeof text, MPI_CHAR, all.rank, MPI_COMM_WORLD);
    if (my_rank() == 0)
        fprintf(stderr, "%s: %s\n", path, text);
    return false;
}

/* NULL, or what it means, in text. */
static const char *explained(int error, char text[MPI_MAX_ERROR_STRING])
{
    int length;

    if (error == MPI_SUCCESS)
        return NULL;
    MPI_Error_string(error, text, &length);
    return text;
}

/* ---- the header ---- */

/* Behind the colon of this entry of the dictionary, or NULL. */
static const char *value_of(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    if (!at || at == text || (at[-1] != '\'' && at[-1] != '"'))
        return NULL;
    at += strlen(name) + 1;
    at += strspn(at, " ");
    return *at == ':' ? at + 1 + strspn(at + 1, " ") : NULL;
}

static const char *parse_type(const char *text, kind *result)
{
    const char *type = value_of(text, "descr");

    if (!type)
        return "the header has no descr";
    for (int i = 0; i < (int)(sizeof types / sizeof *types); i++)
        if ((*type == '\'' || *type == '"') && strncmp(type + 1, types[i], 3) == 0 &&
            type[4] == *type) {
            *result = (kind)i;
            return NULL;
        }
    return "the numbers must be " ORDER "i8, " ORDER "u8 or " ORDER "f8";
}

/* The number of elements of a shape such as (), (3,) or (4, 5). */
static const char *parse_shape(const char *text, long long *count)
{
    const char *at = value_of(text, "shape");
    const long long most = (long long)1 << 59;

    if (!at || *at++ != '(')
        return "the header has no shape";
    for (*count = 1, at += strspn(at, " "); *at != ')'; at += strspn(at, ", ")) {
        char *end;
        long long n = strtoll(at, &end, 10);
        if (end == at || n < 0 || !strchr(",)", *end))
            return "the header has no shape";
        if (n > most || (n > 0 && *count > most / n))
            return "the shape is too large";
        *count *= n;
        at = end;
    }
    return NULL;
}

/* The text that the header is, which the caller frees; NULL: error is set. */
static char *read_text(FILE *f, npy *result, const char **error)
{
    unsigned char head[LENGTH_AT + 4] = {0};
    size_t bytes = 2, length;
    char *text;

    *error = "not a NumPy file";
    if (fread(head, 1, LENGTH_AT, f) != LENGTH_AT || memcmp(head, magic, MAGIC) != 0)
        return NULL;
    if (head[MAGIC] > 1)
        bytes = 4;
    *error = "the header is of another version than 1, 2 or 3";
    if (head[MAGIC] < 1 || head[MAGIC] > 3)
        return NULL;
    *error = "the file ends in the header";
    if (fread(head + LENGTH_AT, 1, bytes, f) != bytes)
        return NULL;
    length = head[8] | (size_t)head[9] << 8 | (size_t)head[10] << 16 | (size_t)head[11] << 24;
    text = length <= MOST_TEXT ? calloc(length + 1, 1) : NULL;
    if (!text || fread(text, 1, length, f) != length) {
        free(text);
        return NULL;
    }
    result->offset = (long long)(LENGTH_AT + bytes + length);
    return text;
}

static const char *read_header(FILE *f, npy *result, char error[200])
{
    const char *wrong;
    char *text = read_text(f, result, &wrong);
    struct stat status;
    long long there;

    if (!text)
        return wrong;
    wrong = parse_type(text, &result->kind);
    if (!wrong)
        wrong = parse_shape(text, &result->count);
    free(text);
    if (wrong)
        return wrong;
    if (fstat(fileno(f), &status) != 0)
        return strerror(errno);
    there = ((long long)status.st_size - result->offset) / (long long)sizeof(key);
    if (there >= result->count)
        return NULL;
    snprintf(error, 200, "the file ends after %lld of %lld numbers", there, result->count);
    return error;
}

bool npy_open(const char *path, npy *result)
{
    char error[200];
    const char *wrong = NULL;
    FILE *f;

    *result = (npy){0};
    if (my_rank() == 0) {
        f = fopen(path, "rb");
        wrong = f ? read_header(f, result, error) : strerror(errno);
        if (f)
            fclose(f);
    }
    MPI_Bcast(result, sizeof *result, MPI_BYTE, 0, MPI_COMM_WORLD);
    return agreed(path, wrong);
}

/* ---- the numbers ---- */

bool npy_read(const char *path, const npy *file, long long first, int n, key *to)
{
    char text[MPI_MAX_ERROR_STRING];
    MPI_Offset at = file->offset + first * (long long)sizeof(key);
    MPI_Status status;
    MPI_File f;
    const char *wrong;
    int there = 0;

    wrong =
        explained(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &f), text);
    if (!agreed(path, wrong))
        return false;
    wrong = explained(MPI_File_read_at_all(f, at, to, n, MPI_UINT64_T, &status), text);
    if (!wrong)
        MPI_Get_count(&status, MPI_UINT64_T, &there);
    if (!wrong && there != n)
        wrong = "has become shorter";
    MPI_File_close(&f);
    return agreed(path, wrong);
}

/* Version 1.0; the numbers begin at a multiple of 64 bytes. Returns the length. */
static int make_header(kind kind, long long total, char header[4 * ALIGNMENT])
{
    int begin = LENGTH_AT + 2, n, end;

    memcpy(header, magic, MAGIC);
    header[MAGIC] = 1;
    header[MAGIC + 1] = 0;
    n = begin + snprintf(header + begin, (size_t)(3 * ALIGNMENT),
                         "{'descr': '%s', 'fortran_order': False, 'shape': (%lld,), }", types[kind],
                         total);
    end = (n + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    memset(header + n, ' ', (size_t)(end - n));
    header[end - 1] = '\n';
    header[LENGTH_AT] = (char)(end - begin);
    header[LENGTH_AT + 1] = 0;
    return end;
}

bool npy_write(const char *path, kind kind, long long total, long long first, int n,
               const key *from)
{
    char header[4 * ALIGNMENT], text[MPI_MAX_ERROR_STRING];
    int length = make_header(kind, total, header), error;
    MPI_Offset at = length + first * (long long)sizeof(key);
    MPI_File f;

    error =
        MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &f);
    if (!agreed(path, explained(error, text)))
        return false;
    error = MPI_File_set_size(f, length + total * (long long)sizeof(key));
    if (!error && my_rank() == 0)
        error = MPI_File_write_at(f, 0, header, length, MPI_BYTE, MPI_STATUS_IGNORE);
    if (agreed(path, explained(error, text))) {
        error = MPI_File_write_at_all(f, at, from, n, MPI_UINT64_T, MPI_STATUS_IGNORE);
        if (agreed(path, explained(error, text)))
            return MPI_File_close(&f) == MPI_SUCCESS;
    }
    MPI_File_close(&f);
    return false;
}
