-- inners: what rank 0 sends inside of the loop, when it has taken one message.
--
-- In scope: item, from; $read, what the store's `read` says now; count, how many come.
--
--     reveals  as in sinks.lua
--     reads    the store's `read` is asked inside of the loop: only of stores that say what it tells then
--     counted  what is revealed where the store only counts (1, 2, 3 in each run)
local get = "MPI_Recv(answer, 1, MPI_INT, 0, ANSWER, comm, MPI_STATUS_IGNORE);"
local get_all = "for (int k = 1; rank == 1 && k < ranks; k++)\n    " .. get

return {
    {name = "nothing", reveals = "nothing", collector = "", worker = ""},
    {name = "reply", reveals = "channels", why = "each channel gets the answer to its own message",
        collector = "int reply = 2 * item.value;\nMPI_Send(&reply, 1, MPI_INT, from, ANSWER, comm);", worker = get},
    {name = "reply_same", reveals = "channels", why = "each channel gets the same answer",
        collector = "int reply = 5;\nMPI_Send(&reply, 1, MPI_INT, from, ANSWER, comm);", worker = get},
    {name = "reply_state", reveals = "content", reads = true, why = "it is told how many came before, or which",
        collector = "int reply = $read;\nMPI_Send(&reply, 1, MPI_INT, from, ANSWER, comm);", worker = get},
    {name = "reply_number", reveals = "content", why = "it is told how many came before",
        locals = "int turns = 0;", collector = "turns++;\nMPI_Send(&turns, 1, MPI_INT, from, ANSWER, comm);", worker = get},
    {name = "forward", reveals = "content", why = "worker 1 gets them in the order of arrival",
        collector = "MPI_Send(&item.value, 1, MPI_INT, 1, ANSWER, comm);", worker = get_all},
    {name = "forward_same", reveals = "nothing", why = "worker 1 gets as many that are all the same",
        collector = "int word = 5;\nMPI_Send(&word, 1, MPI_INT, 1, ANSWER, comm);", worker = get_all},
    {name = "forward_state", reveals = "content", counted = "nothing", reads = true, why = "worker 1 sees the state grow",
        collector = "int word = $read;\nMPI_Send(&word, 1, MPI_INT, 1, ANSWER, comm);", worker = get_all},
    {name = "forward_tagged", reveals = "channels", why = "each tag has one message, that of its source",
        collector = "MPI_Send(&item.value, 1, MPI_INT, 1, 100 + from, comm);",
        worker = "for (int k = 1; rank == 1 && k < ranks; k++)\n    MPI_Recv(answer, 1, MPI_INT, 0, 100 + k, comm, MPI_STATUS_IGNORE);"},
    {name = "next_asks", reveals = "content", why = "worker 2 gets those before that of worker 1, which are 0, 1 or 2",
        locals = "int told = 0;", collector = "int word = 5;\nif (from == 1)\n    told = 1;\nif (!told)\n    MPI_Send(&word, 1, MPI_INT, 2, ANSWER, comm);\nif (from == 1) {\n    word = 0;\n    MPI_Send(&word, 1, MPI_INT, 2, ANSWER, comm);\n}",
        worker = "if (rank == 2)\n    do\n        " .. get .. "\n    while (answer[0]);"},
}
