#include "epoch.h"

const int epoch_stub = 0;

void epoch_change(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}
