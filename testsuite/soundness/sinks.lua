-- sinks: what rank 0 sends when all messages have been taken, and how the workers take it.
--
-- In scope: v (of which the lowest bit depends on the order of arrival, where the store keeps that), comm,
-- workers; of the worker: rank, answer (an array of int).
--
--     reveals  what of v can be seen in the sends: "content": the sequence on a channel differs (content,
--              size, or how many there are); "channels": only the order over channels differs; "nothing"
--     answers  each worker waits for something that rank 0 does behind the last receive
local get = "MPI_Recv(answer, 2, MPI_INT, 0, ANSWER, comm, MPI_STATUS_IGNORE);"
local each = "for (int w = 1; w <= workers; w++)\n    "

return {
    {name = "nothing", reveals = "nothing", collector = "if (v == INT_MIN)\n    exit(v);", worker = ""},
    {name = "printed", reveals = "nothing", collector = 'fprintf(stderr, "%s", v == INT_MIN ? "least" : "");', worker = ""},
    -- Content.
    {name = "send", reveals = "content", answers = true, collector = each .. "MPI_Send(&v, 1, MPI_INT, w, ANSWER, comm);",
        worker = get},
    {name = "send_one", reveals = "content", collector = "MPI_Send(&v, 1, MPI_INT, 1, ANSWER, comm);",
        worker = "if (rank == 1)\n    " .. get},
    {name = "send_bit", reveals = "content", answers = true,
        collector = "int bit = v & 1;\n" .. each .. "MPI_Send(&bit, 1, MPI_INT, w, ANSWER, comm);", worker = get},
    {name = "isend", reveals = "content", answers = true, collector = [[
MPI_Request sends[64];
for (int w = 1; w <= workers; w++)
    MPI_Isend(&v, 1, MPI_INT, w, ANSWER, comm, &sends[w - 1]);
MPI_Waitall(workers, sends, MPI_STATUSES_IGNORE);]], worker = get},
    {name = "ssend", reveals = "content", answers = true, collector = each .. "MPI_Ssend(&v, 1, MPI_INT, w, ANSWER, comm);",
        worker = get},
    {name = "send_array", reveals = "content", answers = true,
        collector = "int pair[2] = {1, 2};\npair[1] = v;\n" .. each .. "MPI_Send(pair, 2, MPI_INT, w, ANSWER, comm);", worker = get},
    {name = "send_heap", reveals = "content", answers = true,
        collector = "int *block = malloc(2 * sizeof *block);\nblock[0] = 1;\nblock[1] = v;\n" .. each ..
            "MPI_Send(block, 2, MPI_INT, w, ANSWER, comm);\nfree(block);", worker = get},
    {name = "send_record", reveals = "content", answers = true,
        collector = "struct item out;\nmemset(&out, 0, sizeof out);\nout.key = v;\n" .. each ..
            "MPI_Send(&out, sizeof out, MPI_BYTE, w, ANSWER, comm);",
        worker = "struct item in;\nMPI_Recv(&in, sizeof in, MPI_BYTE, 0, ANSWER, comm, MPI_STATUS_IGNORE);"},
    {name = "send_text", reveals = "content", answers = true,
        collector = 'char text[8];\nsnprintf(text, sizeof text, "%d", v & 1);\n' .. each ..
            "MPI_Send(text, 2, MPI_CHAR, w, ANSWER, comm);",
        worker = "char text[8];\nMPI_Recv(text, 2, MPI_CHAR, 0, ANSWER, comm, MPI_STATUS_IGNORE);"},
    {name = "send_packed", reveals = "content", answers = true,
        collector = "char bytes[64];\nint place = 0;\nMPI_Pack(&v, 1, MPI_INT, bytes, 64, &place, comm);\n" .. each ..
            "MPI_Send(bytes, place, MPI_PACKED, w, ANSWER, comm);",
        worker = "char bytes[64];\nMPI_Recv(bytes, 64, MPI_PACKED, 0, ANSWER, comm, MPI_STATUS_IGNORE);"},
    {name = "send_helper", reveals = "content", answers = true, header = "void $ptell(int value, int to, MPI_Comm comm);",
        support = "void $ptell(int value, int to, MPI_Comm comm)\n{\nMPI_Send(&value, 1, MPI_INT, to, ANSWER, comm);\n}",
        collector = each .. "$ptell(v, w, comm);", worker = get},
    {name = "send_pointer", reveals = "content", answers = true,
        header = "struct $psender {\nvoid (*tell)(int value, int to, MPI_Comm comm);\n};\nextern struct $psender $psender;",
        support = "static void $ptell(int value, int to, MPI_Comm comm)\n{\nMPI_Send(&value, 1, MPI_INT, to, ANSWER, comm);\n}\n" ..
            "struct $psender $psender = {$ptell};",
        collector = each .. "$psender.tell(v, w, comm);", worker = get},
    {name = "sendrecv", reveals = "content", answers = true,
        collector = "int back;\n" .. each .. "MPI_Sendrecv(&v, 1, MPI_INT, w, ANSWER, &back, 1, MPI_INT, w, SECOND, comm, MPI_STATUS_IGNORE);",
        worker = get .. "\nMPI_Send(&rank, 1, MPI_INT, 0, SECOND, comm);"},
    {name = "persistent", reveals = "content", answers = true, collector = [[
int out = 0;
MPI_Request request;
for (int w = 1; w <= workers; w++) {
    MPI_Send_init(&out, 1, MPI_INT, w, ANSWER, comm, &request);
    out = v;
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}]], worker = get},
    {name = "derived", reveals = "content", answers = true, collector = [[
int lengths[] = {1};
MPI_Aint places[1];
MPI_Datatype one = MPI_INT, type;
MPI_Get_address(&v, &places[0]);
MPI_Type_create_struct(1, lengths, places, &one, &type);
MPI_Type_commit(&type);
for (int w = 1; w <= workers; w++)
    MPI_Send(MPI_BOTTOM, 1, type, w, ANSWER, comm);
MPI_Type_free(&type);]], worker = get},
    -- Size, destination, tag, communicator, number.
    {name = "size", reveals = "content", answers = true,
        collector = "int pair[2] = {1, 2};\n" .. each .. "MPI_Send(pair, 1 + (v & 1), MPI_INT, w, ANSWER, comm);", worker = get},
    {name = "type", reveals = "content", answers = true,
        collector = "int pair[2] = {1, 2};\nMPI_Datatype type;\nMPI_Type_contiguous(1 + (v & 1), MPI_INT, &type);\nMPI_Type_commit(&type);\n" .. each ..
            "MPI_Send(pair, 1, type, w, ANSWER, comm);\nMPI_Type_free(&type);", worker = get},
    {name = "destination", reveals = "content", answers = true, collector = [[
for (int k = 0; k < workers; k++)
    MPI_Send(&k, 1, MPI_INT, 1 + (k + (v & 1)) % workers, ANSWER, comm);]], worker = get},
    {name = "destination_chosen", reveals = "content", answers = true, collector = [[
int other = v & 1 ? 1 : 2, word = 5;
MPI_Send(&word, 1, MPI_INT, other, ANSWER, comm);
word = 6;
MPI_Send(&word, 1, MPI_INT, 3 - other, ANSWER, comm);
MPI_Send(&word, 1, MPI_INT, 3, ANSWER, comm);]], worker = get},
    {name = "tag", reveals = "content", answers = true, collector = [[
int word = 5, last = 6;
for (int w = 1; w <= workers; w++) {
    MPI_Send(&word, 1, MPI_INT, w, v & 1 ? ANSWER : SECOND, comm);
    MPI_Send(&last, 1, MPI_INT, w, v & 1 ? SECOND : ANSWER, comm);
}]], worker = get .. "\nMPI_Recv(answer, 2, MPI_INT, 0, SECOND, comm, MPI_STATUS_IGNORE);"},
    {name = "communicator", reveals = "content", answers = true, collector = [[
MPI_Comm other;
MPI_Comm_dup(comm, &other);
int word = 5, last = 6;
for (int w = 1; w <= workers; w++) {
    MPI_Send(&word, 1, MPI_INT, w, ANSWER, v & 1 ? comm : other);
    MPI_Send(&last, 1, MPI_INT, w, ANSWER, v & 1 ? other : comm);
}
MPI_Comm_free(&other);]], worker = [[
MPI_Comm other;
MPI_Comm_dup(comm, &other);
MPI_Recv(answer, 2, MPI_INT, 0, ANSWER, comm, MPI_STATUS_IGNORE);
MPI_Recv(answer, 2, MPI_INT, 0, ANSWER, other, MPI_STATUS_IGNORE);
MPI_Comm_free(&other);]]},
    {name = "number", reveals = "content", answers = true, collector = [[
int more = 1, end = 0;
for (int w = 1; w <= workers; w++) {
    for (int k = 0; k < (v & 1); k++)
        MPI_Send(&more, 1, MPI_INT, w, ANSWER, comm);
    MPI_Send(&end, 1, MPI_INT, w, ANSWER, comm);
}]], worker = "do\n    MPI_Recv(answer, 1, MPI_INT, 0, ANSWER, comm, MPI_STATUS_IGNORE);\nwhile (answer[0]);"},
    {name = "whether", reveals = "content", answers = true, collector = [[
int more = 1, end = 0;
for (int w = 1; w <= workers; w++) {
    if (v & 1)
        MPI_Send(&more, 1, MPI_INT, w, ANSWER, comm);
    MPI_Send(&end, 1, MPI_INT, w, ANSWER, comm);
}]], worker = "do\n    MPI_Recv(answer, 1, MPI_INT, 0, ANSWER, comm, MPI_STATUS_IGNORE);\nwhile (answer[0]);"},
    {name = "branch_content", reveals = "content", answers = true, collector = [[
int yes = 1, no = 2;
for (int w = 1; w <= workers; w++) {
    if (v & 1)
        MPI_Send(&yes, 1, MPI_INT, w, ANSWER, comm);
    else
        MPI_Send(&no, 1, MPI_INT, w, ANSWER, comm);
}]], worker = get},
    -- The order over channels.
    {name = "order", reveals = "channels", answers = true, collector = [[
for (int k = 0; k < workers; k++)
    MPI_Send(&workers, 1, MPI_INT, 1 + (k + (v & 1)) % workers, ANSWER, comm);]], worker = get},
    {name = "order_branch", reveals = "channels", answers = true, collector = [[
int word = 5;
if (v & 1) {
    for (int w = 1; w <= workers; w++)
        MPI_Send(&word, 1, MPI_INT, w, ANSWER, comm);
} else {
    for (int w = workers; w >= 1; w--)
        MPI_Send(&word, 1, MPI_INT, w, ANSWER, comm);
}]], worker = get},
    {name = "order_tags", reveals = "channels", answers = true, collector = [[
int word = 5;
for (int w = 1; w <= workers; w++) {
    MPI_Send(&word, 1, MPI_INT, w, v & 1 ? ANSWER : SECOND, comm);
    MPI_Send(&word, 1, MPI_INT, w, v & 1 ? SECOND : ANSWER, comm);
}]], worker = get .. "\nMPI_Recv(answer, 2, MPI_INT, 0, SECOND, comm, MPI_STATUS_IGNORE);"},
    -- Collectives.
    {name = "bcast", reveals = "content", answers = true, collector = "MPI_Bcast(&v, 1, MPI_INT, 0, comm);",
        worker = "MPI_Bcast(answer, 1, MPI_INT, 0, comm);"},
    {name = "ibcast", reveals = "content", answers = true,
        collector = "MPI_Request request;\nMPI_Ibcast(&v, 1, MPI_INT, 0, comm, &request);\nMPI_Wait(&request, MPI_STATUS_IGNORE);",
        worker = "MPI_Request request;\nMPI_Ibcast(answer, 1, MPI_INT, 0, comm, &request);\nMPI_Wait(&request, MPI_STATUS_IGNORE);"},
    {name = "allreduce", reveals = "content", answers = true,
        collector = "int all;\nMPI_Allreduce(&v, &all, 1, MPI_INT, MPI_SUM, comm);",
        worker = "MPI_Allreduce(&rank, answer, 1, MPI_INT, MPI_SUM, comm);"},
    {name = "allreduce_in_place", reveals = "content", answers = true,
        collector = "MPI_Allreduce(MPI_IN_PLACE, &v, 1, MPI_INT, MPI_SUM, comm);",
        worker = "MPI_Allreduce(&rank, answer, 1, MPI_INT, MPI_SUM, comm);"},
    {name = "reduce", reveals = "content", collector = "int all = 0;\nMPI_Reduce(&v, &all, 1, MPI_INT, MPI_MAX, 1, comm);",
        worker = "MPI_Reduce(&rank, answer, 1, MPI_INT, MPI_MAX, 1, comm);"},
    {name = "allgather", reveals = "content", answers = true,
        collector = "int all[64];\nMPI_Allgather(&v, 1, MPI_INT, all, 1, MPI_INT, comm);",
        worker = "MPI_Allgather(&rank, 1, MPI_INT, answer, 1, MPI_INT, comm);"},
    {name = "scatter", reveals = "content", answers = true,
        collector = "int all[64] = {0}, own;\nall[workers] = v;\nMPI_Scatter(all, 1, MPI_INT, &own, 1, MPI_INT, 0, comm);",
        worker = "MPI_Scatter(NULL, 0, MPI_INT, answer, 1, MPI_INT, 0, comm);"},
    {name = "scan", reveals = "content", answers = true, collector = "int sum;\nMPI_Scan(&v, &sum, 1, MPI_INT, MPI_SUM, comm);",
        worker = "MPI_Scan(&rank, answer, 1, MPI_INT, MPI_SUM, comm);"},
    {name = "root", reveals = "content", answers = true,
        collector = "int root = v & 1, word = 5;\nMPI_Bcast(&root, 1, MPI_INT, 0, comm);\nMPI_Bcast(&word, 1, MPI_INT, root, comm);",
        worker = "int root;\nMPI_Bcast(&root, 1, MPI_INT, 0, comm);\nMPI_Bcast(answer, 1, MPI_INT, root, comm);"},
    {name = "count", reveals = "content", answers = true,
        collector = "int count_sent = 1 + (v & 1), words[2] = {5, 6};\nMPI_Bcast(&count_sent, 1, MPI_INT, 0, comm);\nMPI_Bcast(words, count_sent, MPI_INT, 0, comm);",
        worker = "int count_sent;\nMPI_Bcast(&count_sent, 1, MPI_INT, 0, comm);\nMPI_Bcast(answer, count_sent, MPI_INT, 0, comm);"},
    {name = "split", reveals = "content", answers = true,
        collector = "MPI_Comm part;\nMPI_Comm_split(comm, v & 1, 0, &part);\nMPI_Comm_free(&part);",
        worker = "MPI_Comm part;\nMPI_Comm_split(comm, 0, rank, &part);\nMPI_Comm_free(&part);"},
}
