/* epoch: what the programs of this folder share.
 *
 * Each is a plain MPI program whose output is the same with any wrappers. The suite builds it
 * twice: natively, where epoch_change does nothing (epoch_native.c); and with the rooms handle,
 * request and pmpi in front of the library, where it throws all real handles away and makes them
 * again, as a new epoch does, inside the one process (epoch_stub.c). The outputs must agree. */
#ifndef EPOCH_H
#define EPOCH_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Collective over MPI_COMM_WORLD. */
void epoch_change(void);
extern const int epoch_stub; /* 1: the wrappers are in front */

/* Fails the run with the place when `truth` is 0. */
#define CHECK(truth) ((truth) ? (void)0 : check_fail(__FILE__, __LINE__, #truth))
static inline void check_fail(const char *file, int line, const char *text)
{
    fprintf(stderr, "%s:%d: %s\n", file, line, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The following statements run in two epochs. */
#define EPOCHS for (int epoch = 0; epoch < 2; epoch++, epoch_change())

#endif
