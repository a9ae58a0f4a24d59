/* finish: every call that ends several requests. */
#ifndef FINISH_H
#define FINISH_H

#include <mpi.h>

enum { FINISH_WAYS = 8, FINISH_MOST = 64 };

static inline void finish_polled(int count, MPI_Request *request)
{
    int ended[FINISH_MOST] = {0}, left = count;

    while (left > 0)
        for (int i = 0; i < count; i++)
            if (!ended[i]) {
                MPI_Test(&request[i], &ended[i], MPI_STATUS_IGNORE);
                left -= ended[i];
            }
}

static inline void finish_some(int count, MPI_Request *request, int blocking)
{
    int index[FINISH_MOST], found;

    do
        if (blocking)
            MPI_Waitsome(count, request, &found, index, MPI_STATUSES_IGNORE);
        else
            MPI_Testsome(count, request, &found, index, MPI_STATUSES_IGNORE);
    while (found != MPI_UNDEFINED);
}

static inline void finish_any(int count, MPI_Request *request, int blocking)
{
    int index = 0, flag = 1;

    do
        if (blocking)
            MPI_Waitany(count, request, &index, MPI_STATUS_IGNORE);
        else
            MPI_Testany(count, request, &index, &flag, MPI_STATUS_IGNORE);
    while (!flag || index != MPI_UNDEFINED);
}

/* Ends all of them, at most FINISH_MOST, in the way `how`, from 0 to FINISH_WAYS - 1. */
static inline void finish(int count, MPI_Request *request, int how)
{
    MPI_Status status[FINISH_MOST];
    int flag = 0;

    switch (how) {
    case 0:
        MPI_Waitall(count, request, status);
        break;
    case 1:
        finish_any(count, request, 1);
        break;
    case 2:
        finish_any(count, request, 0);
        break;
    case 3:
        finish_some(count, request, 1);
        break;
    case 4:
        finish_some(count, request, 0);
        break;
    case 5:
        while (count--)
            MPI_Wait(&request[count], status);
        break;
    case 6:
        finish_polled(count, request);
        break;
    default:
        while (!flag)
            MPI_Testall(count, request, &flag, MPI_STATUSES_IGNORE);
    }
}

#endif
