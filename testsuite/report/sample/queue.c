/* A program for the tests of the report: all classes, all traps of text. Caf�, naïve, €. */
#include <mpi.h>
#include <stdio.h>

enum { CONTACT = 1, ANSWER, WORK };
#include "answer.h"

/* <script>alert("no")</script> & 'quotes' [31mnot red[0m */
static void exchange(const int *contacts, int count, MPI_Comm comm)
{
	int here, left = count;
	MPI_Status status;
	MPI_Request request = MPI_REQUEST_NULL;
	char *text = "€ <b>&amp;</b>"; if (MPI_Iprobe(MPI_ANY_SOURCE, CONTACT, comm, &here, &status), here) answer(&status, comm);
	for (int n = 0; n < count; n++)
		MPI_Isend(&contacts[n], 1, MPI_INT, contacts[n], CONTACT, comm, &request);
	while (left > 0) {
		MPI_Recv(&here, 1, MPI_INT, MPI_ANY_SOURCE, ANSWER, comm, &status);
		if (here < 0)
			break;
		left--;
	}
	puts(text);
}

static int next_work(MPI_Comm comm)
{
    int work[64] = {0}, done;
    MPI_Request requests[64];
    for (int n = 0; n < 64; n++)
        MPI_Irecv(&work[n], 1, MPI_INT, n % 2, WORK, comm, &requests[n]);
    MPI_Waitany(64, requests, &done, MPI_STATUS_IGNORE);
    return work[done];
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int contacts[] = {0, 1}, work = 1;
    while (work != 0) {
        exchange(contacts, 2, MPI_COMM_WORLD);
        work = next_work(MPI_COMM_WORLD); /* a line that is a good deal longer than any terminal is wide, so that it has to be cut */ if (work > 1 && argc > 1 && contacts[0] == 0 && contacts[1] == 1) MPI_Recv(&work, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
#ifdef USE_OLD
    MPI_Send(&work, 1, MPI_INT, 0, WORK, MPI_COMM_WORLD);
#endif
    MPI_Finalize();
}
