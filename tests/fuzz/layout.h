/* SPDX-License-Identifier: BSD-3-Clause */
/* layout.h - random datatypes of which every byte is known, and buffers made of them. */
#ifndef TUTTI_FUZZ_LAYOUT_H
#define TUTTI_FUZZ_LAYOUT_H

#include "fuzz.h"

/* What one unit of a message consists of; the same on both sides. */
typedef struct signature {
    int members, base[3];
    int bytes;
} signature;

typedef struct layout {
    MPI_Datatype type;
    bool derived;
    int units; /* of the signature, in one element */
    int pieces;
    MPI_Aint *at; /* of one element, in the order of the signature: offset and size of each piece */
    int *size;
    MPI_Aint extent, low, high; /* one element touches bytes of [low, high) */
} layout;

void signature_choose(rng *r, signature *s);
/* plain: contiguous, of basic types where there is only one member */
void layout_make(rng *r, const signature *s, int units, bool plain, layout *l);
/* Of a type of which nothing is known but how many bytes an element without gaps has. */
void layout_find(MPI_Datatype type, int size, layout *l);
void layout_free(layout *l);

/* p blocks of elements in one buffer. */
typedef struct blocks {
    layout type;
    int p;
    int *count, *displ; /* elements, extents */
    MPI_Count *large_count;
    MPI_Aint *large_displ;
    size_t bytes;
    unsigned char *memory; /* the program's */
    bool shared;           /* memory is of tutti_alloc */
    unsigned char *image;  /* what must be there */
    MPI_Aint zero;         /* offset of displacement 0 in both */
} blocks;

/* counts in units, a multiple of type.units. Takes the layout over. False: blocks would overlap. */
bool blocks_make(blocks *b, const layout *type, int p, const int units[], bool regular, rng *r);
void blocks_free(blocks *b);
void *blocks_buffer(const blocks *b);
void blocks_poison(blocks *b);                                      /* the image */
void blocks_put(blocks *b, int block, uint64_t data);               /* into the image */
void blocks_put_element(blocks *b, int element, const void *bytes); /* without gaps */
void blocks_forgive(blocks *b, int n); /* what is in the gaps of the first n elements is right */
void blocks_load(blocks *b);           /* memory := image */
long blocks_differ(const blocks *b);   /* offset of a wrong byte, or -1 */

/* n bytes that follow from data */
void data_bytes(uint64_t data, unsigned char *bytes, size_t n);

#endif
