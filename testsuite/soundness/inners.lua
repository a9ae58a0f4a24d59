-- inners: what rank 0 sends inside of the loop, when it has taken one message.
--
-- In scope: item, from; $read, what the store's `read` says now.
--
--     reveals  as in sinks.lua
--     counted  the same where the store only counts (1, 2, 3 in each run)
return {
    {name = "nothing", reveals = "nothing", collector = "", worker = ""},
    {name = "reply", reveals = "channels", why = "each channel gets the answer to its own message",
        collector = "int reply = 2 * item.value;\nMPI_Send(&reply, 1, MPI_INT, from, ANSWER, comm);",
        worker = "MPI_Recv(answer, 1, MPI_INT, 0, ANSWER, comm, MPI_STATUS_IGNORE);"},
}
