-- sinks: what rank 0 sends when all messages have been taken, and how the workers take it.
--
-- In scope: v (of which the lowest bit is known to vary with the order of arrival, where the store
-- keeps that), comm, workers; of the worker: rank, answer.
--
--     reveals  what of v can be seen in the sends: "content": a channel's sequence differs;
--              "channels": only the order over channels differs; "nothing"
--     answers  each worker waits for a message that rank 0 sends behind the last receive
return {
    {name = "nothing", reveals = "nothing", collector = "if (v == INT_MIN)\n    exit(v);", worker = ""},
    {name = "send", reveals = "content", answers = true,
        collector = "for (int w = 1; w <= workers; w++)\n    MPI_Send(&v, 1, MPI_INT, w, ANSWER, comm);",
        worker = "MPI_Recv(answer, 1, MPI_INT, 0, ANSWER, comm, MPI_STATUS_IGNORE);"},
    {name = "bcast", reveals = "content",
        collector = "MPI_Bcast(&v, 1, MPI_INT, 0, comm);", worker = "MPI_Bcast(answer, 1, MPI_INT, 0, comm);"},
    {name = "branch_order", reveals = "channels", answers = true, collector = [[
for (int k = 0; k < workers; k++)
    MPI_Send(&workers, 1, MPI_INT, 1 + (k + (v & 1)) % workers, ANSWER, comm);]],
        worker = "MPI_Recv(answer, 1, MPI_INT, 0, ANSWER, comm, MPI_STATUS_IGNORE);"},
}
