/* ft_saver.h: data of a program kept in the memory of other ranks (diskless), so that they are
 * there after a failure that the program handles itself (ftrun --ulfm). On top of MPI alone; it
 * runs natively, too. Link with -lftsaver. Manual: ft_saver(3).
 *
 * Source: Parchman, Vallee, Naughton, Engelmann, Bernholdt, Scott: "Adding Fault Tolerance to NPB
 * Benchmarks Using ULFM" (FTXS'16), section 3.1; Reed-Solomon as in FT-MPI's PCG.
 *
 * A *number* is a rank's rank in the communicator of ft_saver_init; it keeps it for ever. Data have
 * an id and the number of the rank that has saved them, their owner.
 *
 * Every function returns an MPI code, or one of the codes below; after an error the saver is as it
 * was before the call. Errors of its messages are returned, whatever error handler the communicator
 * has. Thread rule: the thread that calls MPI. */
#ifndef FTCC_FT_SAVER_H
#define FTCC_FT_SAVER_H

#include <mpi.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ft_saver_strategy {
    FT_SAVER_SINGLE, /* SINGLE_REDUNDANCY: the next rank has a copy; one death is survived */
    FT_SAVER_FULL,   /* FULL_REDUNDANCY: all ranks have a copy; the last one survives */
    FT_SAVER_CODED   /* Reed-Solomon: `parts` ranks share `parity` blocks on other ranks; any
                        `parity` of them may die */
};

enum {
    FT_SAVER_LOST = -1,  /* the data died with the ranks that held them, or were never saved */
    FT_SAVER_SHORT = -2, /* the memory given is less than the data; *bytes says how much */
    FT_SAVER_WRONG = -3, /* an argument is out of range */
    FT_SAVER_MEMORY = -4
};

struct ft_saver;

/* Collective over comm, which must outlive its use here. `parts` and `parity` (at least 1; their
 * sum is at most the size of comm, and 127) matter for FT_SAVER_CODED alone. */
int ft_saver_init(struct ft_saver **ft_saver, MPI_Comm ft_comm, enum ft_saver_strategy ft_strategy,
                  int ft_parts, int ft_parity);
/* Local. *ft_saver becomes NULL. */
void ft_saver_free(struct ft_saver **ft_saver);
/* This rank's number. */
int ft_saver_number(const struct ft_saver *ft_saver);

/* Collective: each rank saves `bytes` (any, also 0) under the same id; what it had saved under this
 * id goes, on all ranks or, after an error, on none. */
int ft_saver_save(struct ft_saver *ft_saver, int ft_id, const void *ft_data, size_t ft_bytes);

/* Collective over a communicator that has shrunk, or grown again, from the present one: from
 * here on that one is used. Data that should be there twice (or on all) and is left once is
 * copied again; the redundancy of coded data returns with the next save. */
int ft_saver_move(struct ft_saver *ft_saver, MPI_Comm ft_comm);

/* Collective: each rank names data that it wants, by id and owner; owner -1: it wants none. Any
 * rank may have the data of any, also of a dead one, so a job with other ranks than before can
 * divide them anew. *ft_bytes: in: room at ft_data; out: size of the data. FT_SAVER_LOST and
 * FT_SAVER_SHORT concern this rank's wish alone; the others are served. */
int ft_saver_load(struct ft_saver *ft_saver, int ft_id, int ft_owner, void *ft_data,
                  size_t *ft_bytes);
/* Collective: how large those data are, FT_SAVER_LOST where they are lost. */
int ft_saver_size(struct ft_saver *ft_saver, int ft_id, int ft_owner, size_t *ft_bytes);

#ifdef __cplusplus
}
#endif
#endif
