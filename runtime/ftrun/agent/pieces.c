/* pieces: see pieces.h. */
#include "agent/pieces.h"

#include <errno.h>
#include <isa-l/erasure_code.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST = FT_LEVELS_NODES };

uint64_t ft_piece_bytes(uint64_t image, int data)
{
    uint64_t block = (uint64_t)data * FT_PIECE_CHUNK;

    return image / block * FT_PIECE_CHUNK + ft_piece_chunk(image % block, data);
}

/* Row p says of which data chunks the chunk of piece p is the sum, times what. */
static void make_matrix(int data, int pieces, unsigned char *matrix)
{
    gf_gen_cauchy1_matrix(matrix, pieces, data);
}

void ft_piece_encoder(int data, int pieces, struct ft_piece_code *out)
{
    unsigned char matrix[MOST * MOST];

    make_matrix(data, pieces, matrix);
    out->from = data;
    out->to = pieces - data;
    if (out->to)
        ec_init_tables(data, out->to, matrix + data * data, out->tables);
}

int ft_piece_decoder(int data, int pieces, const int *has, struct ft_piece_code *out)
{
    unsigned char matrix[MOST * MOST], rows[MOST * MOST], inverse[MOST * MOST];

    make_matrix(data, pieces, matrix);
    for (int i = 0; i < data; i++)
        memcpy(rows + i * data, matrix + has[i] * data, (size_t)data);
    if (gf_invert_matrix(rows, inverse, data))
        return -EINVAL;
    out->from = out->to = data;
    ec_init_tables(data, data, inverse, out->tables);
    return 0;
}

void ft_piece_make(const struct ft_piece_code *code, size_t bytes, unsigned char **in,
                   unsigned char **out)
{
    if (code->to)
        ec_encode_data((int)bytes, code->from, code->to, (unsigned char *)(uintptr_t)code->tables,
                       in, out);
}

int ft_piece_path(const char *folder, uint32_t checkpoint, int rank, int piece, char *out,
                  size_t size)
{
    int length = snprintf(out, size, "%s/ckpt-%u", folder, checkpoint);

    if (length < 0 || (size_t)length + 64 > size)
        return -ENAMETOOLONG;
    if (mkdir(out, 0700) && errno != EEXIST)
        return -errno;
    if (piece == FT_PIECE_WHOLE)
        snprintf(out + length, size - (size_t)length, "/rank-%d.img", rank);
    else
        snprintf(out + length, size - (size_t)length, "/rank-%d.piece-%d", rank, piece);
    return 0;
}
