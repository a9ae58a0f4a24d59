#include "epoch.h"

void epoch_change(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}
