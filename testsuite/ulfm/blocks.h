/* blocks: rows of numbers that are dealt out in blocks to the ranks of a communicator that shrinks:
 * each few steps they are saved in the memory of other ranks; after a death the others shrink, load
 * the rows of the last save in blocks of another size, and go on from there. */
#ifndef BLOCKS_H
#define BLOCKS_H

#include <mpi.h>
#include "ft_saver.h"

struct blocks {
    long rows, width;  /* all rows, numbers of a row */
    long first, count; /* this rank's */
    long step;         /* that the numbers belong to */
    double *data;      /* count + 2 rows: one before and one behind this rank's */
    MPI_Comm comm;
    int rank, size; /* in comm */
    int world_rank, world_size;
    struct ft_saver *saver;
    char *saved_by, *now; /* by number: took part in the last save; is a member */
};

/* Makes a block for each rank of MPI_COMM_WORLD, zeroed. */
void blocks_create(struct blocks *blocks, long rows, long width, enum ft_saver_strategy strategy,
                   int parts, int parity);
/* The same by all, until a first save has been made. */
void blocks_save_first(struct blocks *blocks);
/* All come here behind some steps, with the MPI code of theirs. 1: they are saved; 0: they failed
 * on some rank, and all have gone back to the last save. */
int blocks_save(struct blocks *blocks, int code);
/* Ranks 1 to `deaths` die, each at a moment drawn from the seed. */
void blocks_order_deaths(const struct blocks *blocks, unsigned seed, int deaths);
/* Sends the numbers from `column` on, `width` of them, of the first and last row to the neighbours.
 */
int blocks_halo(struct blocks *blocks, long column, long width);
/* Ends this rank with a message, which makes the test fail. */
void blocks_fail(const struct blocks *blocks, const char *what, int code);

#endif
