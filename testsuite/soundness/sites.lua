-- sites: how rank 0 takes `count` messages, one or more from each worker.
--
-- In scope of `code`: comm, count, TAG; item, the message that was taken; from, the rank that sent it.
-- $take stands where one message has been taken. Behind each call that is a site stands a mark:
-- $source, $index or $flag, by what the call leaves open. Each becomes the class of that call, which
-- program.lua computes from what becomes of the messages.
--
--     locals   declarations
--     slots    the posting order of the requests is where a message lies: `order` says what it decides
--     helper   a function in another file
local recv = "MPI_Recv(&item, sizeof item, MPI_BYTE, "

return {
    {name = "recv", code = [[
for (int i = 0; i < count; i++) {
    MPI_Recv(&item, sizeof item, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &status); $source
    from = status.MPI_SOURCE;
    $take
}]]},
}
