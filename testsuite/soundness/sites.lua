-- sites: how rank 0 takes `count` messages, one from each worker.
--
-- In scope of `code`: comm, count, TAG; item, the message that was taken; from, the rank that sent it;
-- status. $take stands where one message has been taken. Behind each call that is a site stands a mark:
-- $source, $index or $flag, by what the call leaves open. Each becomes the class of that call, which
-- program.lua computes from what becomes of the messages; $waiting marks a call that only waits.
--
--     locals   declarations
--     named    each receive names its sender, so that rounds cannot mix
--     helper   functions in another file; marks stand there or at the call, wherever the site is told
local post_any = [=[
for (int i = 0; i < count; i++)
    MPI_Irecv(&items[i], sizeof items[i], MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &requests[i]); $source
]=]
local post_named = [=[
for (int i = 0; i < count; i++)
    MPI_Irecv(&items[i], sizeof items[i], MPI_BYTE, i + 1, TAG, comm, &requests[i]);
]=]
local requests = "struct item items[64];\nMPI_Request requests[64];\n"

return {
    {name = "recv", code = [=[
for (int i = 0; i < count; i++) {
    MPI_Recv(&item, sizeof item, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &status); $source
    from = status.MPI_SOURCE;
    $take
}]=]},
    {name = "recv_while", any_tag = true, locals = "int left = count;", code = [=[
while (left-- > 0) {
    MPI_Recv(&item, sizeof item, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status); $source
    from = status.MPI_SOURCE;
    $take
}]=]},
    {name = "recv_payload", code = [=[
for (int i = 0; i < count; i++) {
    MPI_Recv(&item, sizeof item, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, MPI_STATUS_IGNORE); $source
    from = item.source;
    $take
}]=]},
    {name = "recv_parameter", code = [=[
for (int i = 0; i < count; i++) {
    $ptake_from(-1, &item, comm, &status);
    from = status.MPI_SOURCE;
    $take
}]=], header = "void $ptake_from(int source, struct item *item, MPI_Comm comm, MPI_Status *status);", helper = [=[
void $ptake_from(int source, struct item *item, MPI_Comm comm, MPI_Status *status)
{
    if (source < 0)
        source = MPI_ANY_SOURCE;
    MPI_Recv(item, sizeof *item, MPI_BYTE, source, TAG, comm, status); $source
}]=]},
    {name = "recv_helper", code = [=[
for (int i = 0; i < count; i++) {
    from = $ptake_one(&item, comm);
    $take
}]=], header = "int $ptake_one(struct item *item, MPI_Comm comm);", helper = [=[
int $ptake_one(struct item *item, MPI_Comm comm)
{
    MPI_Status status;
    MPI_Recv(item, sizeof *item, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &status); $source
    return status.MPI_SOURCE;
}]=]},
    {name = "irecv_wait", locals = "MPI_Request request;", code = [=[
for (int i = 0; i < count; i++) {
    MPI_Irecv(&item, sizeof item, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &request); $source
    MPI_Wait(&request, &status);
    from = status.MPI_SOURCE;
    $take
}]=]},
    {name = "irecv_waitall", locals = requests .. "MPI_Status statuses[64];", code = post_any .. [=[
MPI_Waitall(count, requests, statuses);
for (int i = 0; i < count; i++) {
    item = items[i];
    from = statuses[i].MPI_SOURCE;
    $take
}]=]},
    {name = "irecv_test", locals = "MPI_Request request;", code = [=[
for (int i = 0; i < count; i++) {
    int done = 0;
    MPI_Irecv(&item, sizeof item, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &request); $source
    while (!done)
        MPI_Test(&request, &done, &status); $waiting
    from = status.MPI_SOURCE;
    $take
}]=]},
    {name = "irecv_any_waitany", locals = requests .. "int index;", code = post_any .. [=[
for (int i = 0; i < count; i++) {
    MPI_Waitany(count, requests, &index, &status); $index
    item = items[index];
    from = status.MPI_SOURCE;
    $take
}]=]},
    {name = "waitany", named = true, locals = requests .. "int index;", code = post_named .. [=[
for (int i = 0; i < count; i++) {
    MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE); $index
    item = items[index];
    from = index + 1;
    $take
}]=]},
    {name = "waitany_status", named = true, locals = requests .. "int index;", code = post_named .. [=[
for (;;) {
    MPI_Waitany(count, requests, &index, &status); $index
    if (index == MPI_UNDEFINED)
        break;
    item = items[index];
    from = status.MPI_SOURCE;
    $take
}]=]},
    {name = "waitsome", named = true, locals = requests .. "int indices[64], done;", code = post_named .. [=[
for (int left = count; left > 0; left -= done) {
    MPI_Waitsome(count, requests, &done, indices, MPI_STATUSES_IGNORE); $index
    for (int k = 0; k < done; k++) {
        item = items[indices[k]];
        from = indices[k] + 1;
        $take
    }
}]=]},
    {name = "testany", named = true, locals = requests .. "int index, flag, left = count;", code = post_named .. [=[
while (left > 0) {
    MPI_Testany(count, requests, &index, &flag, &status); $index
    if (!flag)
        continue;
    left--;
    item = items[index];
    from = status.MPI_SOURCE;
    $take
}]=]},
    {name = "testsome", named = true, locals = requests .. "int indices[64], done;", code = post_named .. [=[
for (int left = count; left > 0; left -= done) {
    MPI_Testsome(count, requests, &done, indices, MPI_STATUSES_IGNORE); $index
    for (int k = 0; k < done; k++) {
        item = items[indices[k]];
        from = indices[k] + 1;
        $take
    }
}]=]},
    {name = "waitsome_wrapper", named = true, locals = requests .. "int indices[64], done;", code = post_named .. [=[
for (int left = count; left > 0; left -= done) {
    $pcomplete_some(count, requests, &done, indices); $index
    for (int k = 0; k < done; k++) {
        item = items[indices[k]];
        from = indices[k] + 1;
        $take
    }
}]=], header = "int $pcomplete_some(int count, MPI_Request *requests, int *done, int *indices);", helper = [=[
int $pcomplete_some(int count, MPI_Request *requests, int *done, int *indices)
{
    return MPI_Waitsome(count, requests, done, indices, MPI_STATUSES_IGNORE); $index
}]=]},
    {name = "test_each", named = true, locals = requests .. "int flag, left = count, taken[64] = {0};", code = post_named .. [=[
while (left > 0) {
    for (int i = 0; i < count; i++) {
        if (taken[i])
            continue;
        MPI_Test(&requests[i], &flag, &status); $flag
        if (!flag)
            continue;
        taken[i] = 1;
        left--;
        item = items[i];
        from = i + 1;
        $take
    }
}]=]},
    {name = "probe", code = [=[
for (int i = 0; i < count; i++) {
    MPI_Probe(MPI_ANY_SOURCE, TAG, comm, &status); $source
    from = status.MPI_SOURCE;
    MPI_Recv(&item, sizeof item, MPI_BYTE, from, TAG, comm, MPI_STATUS_IGNORE);
    $take
}]=]},
    {name = "probe_any_tag", any_tag = true, code = [=[
for (int i = 0; i < count; i++) {
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status); $source
    MPI_Recv(&item, sizeof item, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, comm, &status);
    from = status.MPI_SOURCE;
    $take
}]=]},
    {name = "iprobe", locals = "int flag, left = count;", code = [=[
while (left > 0) {
    MPI_Iprobe(MPI_ANY_SOURCE, TAG, comm, &flag, &status); $source
    if (flag) {
        MPI_Recv(&item, sizeof item, MPI_BYTE, status.MPI_SOURCE, TAG, comm, MPI_STATUS_IGNORE);
        from = status.MPI_SOURCE;
        left--;
        $take
    }
}]=]},
    {name = "iprobe_each", named = true, locals = "int flag, left = count, taken[64] = {0};", code = [=[
while (left > 0) {
    for (int w = 1; w <= count; w++) {
        if (taken[w])
            continue;
        MPI_Iprobe(w, TAG, comm, &flag, MPI_STATUS_IGNORE); $flag
        if (flag) {
            MPI_Recv(&item, sizeof item, MPI_BYTE, w, TAG, comm, MPI_STATUS_IGNORE);
            taken[w] = 1;
            left--;
            from = w;
            $take
        }
    }
}]=]},
    {name = "mprobe", locals = "MPI_Message message;", code = [=[
for (int i = 0; i < count; i++) {
    MPI_Mprobe(MPI_ANY_SOURCE, TAG, comm, &message, &status); $source
    MPI_Mrecv(&item, sizeof item, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    from = status.MPI_SOURCE;
    $take
}]=]},
    {name = "improbe", locals = "MPI_Message message;\nint flag, left = count;", code = [=[
while (left > 0) {
    MPI_Improbe(MPI_ANY_SOURCE, TAG, comm, &flag, &message, &status); $source
    if (!flag)
        continue;
    MPI_Mrecv(&item, sizeof item, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    from = status.MPI_SOURCE;
    left--;
    $take
}]=]},
    {name = "persistent_any", locals = "MPI_Request request;", code = [=[
MPI_Recv_init(&item, sizeof item, MPI_BYTE, MPI_ANY_SOURCE, TAG, comm, &request); $source
for (int i = 0; i < count; i++) {
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    from = status.MPI_SOURCE;
    $take
}
MPI_Request_free(&request);]=]},
    {name = "persistent_waitany", named = true, locals = requests .. "int index;", code = [=[
for (int i = 0; i < count; i++)
    MPI_Recv_init(&items[i], sizeof items[i], MPI_BYTE, i + 1, TAG, comm, &requests[i]);
MPI_Startall(count, requests);
for (int i = 0; i < count; i++) {
    MPI_Waitany(count, requests, &index, &status); $index
    item = items[index];
    from = index + 1;
    $take
}
for (int i = 0; i < count; i++)
    MPI_Request_free(&requests[i]);]=]},
}
