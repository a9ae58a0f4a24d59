/* mpi-ext.h: the name under which programs of Open MPI find the calls of ULFM (ft.h). */
#include <mpi.h>
#include "ft.h"

#define MPI_ERR_PROC_FAILED MPIX_ERR_PROC_FAILED
#define MPI_ERR_PROC_FAILED_PENDING MPIX_ERR_PROC_FAILED_PENDING
#define MPI_ERR_REVOKED MPIX_ERR_REVOKED
#define OMPI_HAVE_MPIX_COMM_ISHRINK 1
