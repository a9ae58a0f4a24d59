/* pieces: an image cut into pieces, some of them of a Reed-Solomon code (Reed and Solomon 1960,
 * with a Cauchy matrix; the arithmetic is ISA-L's).
 *
 * With `data` = K an image is handled in blocks of K * FT_PIECE_CHUNK bytes, the last one shorter.
 * A block gives each piece a chunk of its K-th part: the pieces below K have the block's own parts
 * (with zeros behind the end), the others sums of them, and any K chunks give the block back.
 * Thread rule: single threaded. */
#ifndef FT_PIECES_H
#define FT_PIECES_H

#include <stddef.h>
#include <stdint.h>
#include "options/levels.h"

enum { FT_PIECE_WHOLE = -1, FT_PIECE_CHUNK = 1 << 20 };

struct ft_piece_code { /* how chunks are made of chunks */
    int from, to;
    unsigned char tables[32 * FT_LEVELS_NODES * FT_LEVELS_NODES];
};

/* Bytes of each chunk of a block of so many bytes. */
static inline size_t ft_piece_chunk(uint64_t block, int data)
{
    return (size_t)((block + (uint64_t)data - 1) / (uint64_t)data);
}

/* Bytes of each piece of an image of so many. */
uint64_t ft_piece_bytes(uint64_t image, int data);

/* Makes the pieces [data, pieces) of the pieces [0, data). */
void ft_piece_encoder(int data, int pieces, struct ft_piece_code *out);
/* Makes the pieces [0, data) of the pieces has[0..data), which differ. 0 or -EINVAL. */
int ft_piece_decoder(int data, int pieces, const int *has, struct ft_piece_code *out);
/* Chunks of `bytes` bytes. */
void ft_piece_make(const struct ft_piece_code *code, size_t bytes, unsigned char **in,
                   unsigned char **out);

/* "FOLDER/ckpt-K/rank-R.img" or "rank-R.piece-P"; the folder is made where it is missing. 0 or
 * -errno. */
int ft_piece_path(const char *folder, uint32_t checkpoint, int rank, int piece, char *out,
                  size_t size);

#endif
