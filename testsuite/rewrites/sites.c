/* All kinds of sites, and what is none. Nobody reads the received data. */
#include <mpi.h>

enum { ANYONE = MPI_ANY_SOURCE };
static const int any_tag = MPI_ANY_TAG;
#define FROM_ANY MPI_ANY_SOURCE
#define RECEIVE(from) MPI_Recv(&value, 1, MPI_INT, from, 0, MPI_COMM_WORLD, &status)

static void receive_from(int source)
{
    int value;
    MPI_Status status;
    RECEIVE(source); /* expect: send-deterministic (source) */
}

static void completions(MPI_Request *requests)
{
    int flag, index, count, indices[2];
    MPI_Status status, statuses[2];
    MPI_Test(requests, &flag, &status);        /* expect: send-deterministic (flag) */
    MPI_Testall(2, requests, &flag, statuses); /* expect: send-deterministic (flag) */
    /* expect: send-deterministic (index, flag) */
    MPI_Testany(2, requests, &index, &flag, &status);
    /* expect: send-deterministic (index, flag) */
    MPI_Testsome(2, requests, &count, indices, statuses);
    MPI_Waitany(2, requests, &index, &status);            /* expect: send-deterministic (index) */
    MPI_Waitsome(2, requests, &count, indices, statuses); /* expect: send-deterministic (index) */
    MPI_Waitall(2, requests, statuses);
    MPI_Wait(requests, &status);
    MPI_Test_cancelled(&status, &flag); /* expect: send-deterministic (flag) */
}

static void probes(MPI_Comm comm)
{
    int value, flag;
    MPI_Status status;
    MPI_Message message;
    MPI_Probe(0, 0, comm, &status);                     /* expect: deterministic () */
    /* expect: send-deterministic (source, flag) */
    MPI_Iprobe(MPI_ANY_SOURCE, 0, comm, &flag, &status);
    MPI_Improbe(0, 0, comm, &flag, &message, &status);  /* expect: send-deterministic (flag) */
    MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
}

int main(int argc, char **argv)
{
    int value, other, mine = 0, anybody = MPI_ANY_SOURCE;
    MPI_Status status;
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Init(&argc, &argv);
    MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    /* expect: send-deterministic (source) */
    MPI_Recv(&value, 1, MPI_INT, ANYONE, 0, MPI_COMM_WORLD, &status);
    /* expect: deterministic (tag) */
    MPI_Recv(&value, 1, MPI_INT, 0, any_tag, MPI_COMM_WORLD, &status);
    /* expect: send-deterministic (source, tag) */
    MPI_Irecv(&other, 1, MPI_INT, FROM_ANY, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    /* expect: send-deterministic (source) */
    MPI_Recv(&value, 1, MPI_INT, anybody, 0, MPI_COMM_WORLD, &status);
    /* expect: send-deterministic (source) */
    MPI_Recv(&value, 1, MPI_INT, argc > 1 ? 0 : MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    completions(requests);
    /* expect: send-deterministic or unknown (source) */
    MPI_Recv_init(&other, 1, MPI_INT, -2, 0, MPI_COMM_WORLD, requests);
    MPI_Request_free(requests);
    /* expect: send-deterministic (source) */
    MPI_Sendrecv(&mine, 1, MPI_INT, 0, 0, &other, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD,
                 &status);
    /* expect: deterministic (tag) */
    MPI_Sendrecv_replace(&mine, 1, MPI_INT, 0, 0, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    receive_from(3);
    receive_from(FROM_ANY);
    probes(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}

/* expect:
pattern in main: 51 to 74, by nothing, not trusted
logged: 13
logged: 40
logged: 54
logged: 58
logged: 60
logged: 62
logged: 65
logged: 68
no hook
+#include <ft.h>
+FT_DECLARE_PATTERN(ftcc_ID1, ID1);
+    FT_SITE(ID2); :: maybe any source; send-deterministic
+    FT_SITE(ID3); :: flag; send-deterministic
+    FT_SITE(ID4); :: flag; send-deterministic
+    FT_SITE(ID5); :: index, flag; send-deterministic
+    FT_SITE(ID6); :: index, flag; send-deterministic
+    FT_SITE(ID7); :: index; send-deterministic
+    FT_SITE(ID8); :: index; send-deterministic
+    FT_SITE(ID9); :: flag; send-deterministic
+    FT_SITE(ID10); :: deterministic
+    FT_SITE(ID11); :: any source, flag; send-deterministic
+    FT_SITE(ID12); :: flag; send-deterministic
+    FT_BEGIN_ITERATION(ftcc_ID1, MPI_COMM_WORLD);
+    FT_SITE(ID13); :: any source; send-deterministic
+    FT_SITE(ID14); :: any tag; deterministic
+    FT_SITE(ID15); :: any source, any tag; send-deterministic
+    FT_SITE(ID16); :: any source; send-deterministic
+    FT_SITE(ID17); :: maybe any source; send-deterministic
+    FT_SITE(ID18); :: any source; unknown
+    FT_SITE(ID19); :: any source; send-deterministic
+    FT_SITE(ID20); :: any tag; deterministic
+    FT_END_ITERATION(ftcc_ID1);
*/
