/* SPDX-License-Identifier: BSD-3-Clause */
/* pgm.h - grey pictures: portable graymaps, plain (P2) and raw (P5), up to 16 bits a value. */
#ifndef FFT2D_PGM_H
#define FFT2D_PGM_H

#include <stdint.h>

typedef struct pgm {
    int rows, columns, maximum; /* of a value: 1 to 65535 */
    uint16_t *at;               /* [rows * columns], row by row; free() it */
} pgm;

enum { PGM_ERROR_SIZE = 300, PGM_MOST = 1 << 28 /* values */ };

/* 0, or another number and a line in error that begins with the path. */
int pgm_read(const char *path, pgm *picture, char error[PGM_ERROR_SIZE]);

/* Raw. */
int pgm_write(const char *path, const pgm *picture, char error[PGM_ERROR_SIZE]);

#endif
