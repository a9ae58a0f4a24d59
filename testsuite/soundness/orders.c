/* orders: runs a program of soundness several times in one job, each time with
 * other outcomes, and says what its sends show of them.
 *
 * The program's main is compiled as program_main. Rank 0's receives, probes,
 * completions and tests wait a moment, so that whatever can be chosen is there,
 * and then choose by a random number; its sends are written down. In the end
 * rank 0 prints what all turns together show, by the words of sinks.lua:
 * "nothing": all sends were the same; "channels": on each channel they were;
 * "content".
 *
 *     orders TURNS
 *
 * Thread rule: one thread. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 4096, PAUSE_US = 3000, TRIES = 4 };

int program_main(int argc, char **argv);

struct sent {
    int to, tag;
    uint64_t comm, hash;
};

struct record {
    struct sent sent[MOST];
    int count;
};

static struct record first, now;
static int rank = -1;
static uint64_t seed;

static unsigned draw(unsigned below)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 33) % below;
}

static void pause_a_moment(void)
{
    int flag;
    usleep(PAUSE_US);
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_SELF, &flag,
                MPI_STATUS_IGNORE); /* progress */
}

/* ---- What is sent ---- */

static uint64_t bytes_hash(const void *bytes, size_t length)
{
    uint64_t hash = 1469598103934665603u + length;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

static void note(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    static char bytes[4096];
    MPI_Status status;
    int length = 0;
    if (rank != 0 || now.count == MOST)
        return;
    if (buffer != MPI_IN_PLACE) { /* the bytes, as anybody would get them */
        PMPI_Sendrecv(buffer, count, type, 0, 0, bytes, sizeof bytes, MPI_BYTE, 0, 0, MPI_COMM_SELF,
                      &status);
        PMPI_Get_count(&status, MPI_BYTE, &length);
    }
    now.sent[now.count++] =
        (struct sent){to, tag, (uint64_t)(unsigned)comm, bytes_hash(bytes, (size_t)length)};
}

enum { COLLECTIVE = -100 };

static void note_collective(const void *buffer, int count, MPI_Datatype type, int word,
                            MPI_Comm comm)
{
    note(buffer, count, type, COLLECTIVE, COLLECTIVE, comm);
    note(&word, 1, MPI_INT, COLLECTIVE, COLLECTIVE, comm);
}

int MPI_Send(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    note(buffer, count, type, to, tag, comm);
    return PMPI_Send(buffer, count, type, to, tag, comm);
}

int MPI_Ssend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
    note(buffer, count, type, to, tag, comm);
    return PMPI_Ssend(buffer, count, type, to, tag, comm);
}

int MPI_Isend(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    note(buffer, count, type, to, tag, comm);
    return PMPI_Isend(buffer, count, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void *buffer, int count, MPI_Datatype type, int to, int tag, void *back,
                 int most, MPI_Datatype kind, int from, int its_tag, MPI_Comm comm,
                 MPI_Status *status)
{
    note(buffer, count, type, to, tag, comm);
    return PMPI_Sendrecv(buffer, count, type, to, tag, back, most, kind, from, its_tag, comm,
                         status);
}

/* The last persistent send that was made; programs have one at a time. */
static struct {
    const void *buffer;
    int count, to, tag;
    MPI_Datatype type;
    MPI_Comm comm;
    MPI_Request request;
} lasting = {.request = MPI_REQUEST_NULL};

int MPI_Send_init(const void *buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    int code = PMPI_Send_init(buffer, count, type, to, tag, comm, request);
    lasting.buffer = buffer, lasting.count = count, lasting.to = to, lasting.tag = tag;
    lasting.type = type, lasting.comm = comm, lasting.request = *request;
    return code;
}

int MPI_Bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    note_collective(root == 0 ? buffer : NULL, root == 0 ? count : 0, type, root, comm);
    return PMPI_Bcast(buffer, count, type, root, comm);
}

int MPI_Ibcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
               MPI_Request *request)
{
    note_collective(buffer, count, type, root, comm);
    return PMPI_Ibcast(buffer, count, type, root, comm, request);
}

int MPI_Allreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    note_collective(from == MPI_IN_PLACE ? to : from, count, type, 0, comm);
    return PMPI_Allreduce(from, to, count, type, op, comm);
}

int MPI_Reduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm)
{
    note_collective(from, count, type, root, comm);
    return PMPI_Reduce(from, to, count, type, op, root, comm);
}

int MPI_Scan(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    note_collective(from, count, type, 0, comm);
    return PMPI_Scan(from, to, count, type, op, comm);
}

int MPI_Allgather(const void *from, int count, MPI_Datatype type, void *to, int most,
                  MPI_Datatype kind, MPI_Comm comm)
{
    note_collective(from, count, type, 0, comm);
    return PMPI_Allgather(from, count, type, to, most, kind, comm);
}

int MPI_Scatter(const void *from, int count, MPI_Datatype type, void *to, int most,
                MPI_Datatype kind, int root, MPI_Comm comm)
{
    int size;
    PMPI_Comm_size(comm, &size);
    note_collective(from, count * size, type, root, comm);
    return PMPI_Scatter(from, count, type, to, most, kind, root, comm);
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made)
{
    note_collective(&color, 1, MPI_INT, key, comm);
    return PMPI_Comm_split(comm, color, key, made);
}

/* ---- What is chosen ---- */

/* One of the ranks whose message is there; MPI_ANY_SOURCE: none is. */
static int source_choose(int tag, MPI_Comm comm)
{
    int found[64], count = 0, size;
    PMPI_Comm_size(comm, &size);
    for (int tries = 0; tries < TRIES && count < 2; tries++) {
        pause_a_moment();
        count = 0;
        for (int i = 0; i < size && i < 64; i++) {
            int flag;
            PMPI_Iprobe(i, tag, comm, &flag, MPI_STATUS_IGNORE);
            if (flag)
                found[count++] = i;
        }
    }
    return count ? found[draw((unsigned)count)] : MPI_ANY_SOURCE;
}

static int source_await(int source, int tag, MPI_Comm comm)
{
    int chosen = source;
    while (rank == 0 && source == MPI_ANY_SOURCE && chosen == MPI_ANY_SOURCE)
        chosen = source_choose(tag, comm);
    return chosen;
}

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    source = source_await(source, tag, comm);
    return PMPI_Recv(buffer, count, type, source, tag, comm, status);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    source = source_await(source, tag, comm);
    return PMPI_Irecv(buffer, count, type, source, tag, comm, request);
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    source = source_await(source, tag, comm);
    return PMPI_Probe(source, tag, comm, status);
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    source = source_await(source, tag, comm);
    return PMPI_Mprobe(source, tag, comm, message, status);
}

/* A poll of rank 0 says no now and then, although there is something. */
static int says_no(void)
{
    if (rank != 0)
        return 0;
    pause_a_moment();
    return draw(3) == 0;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    if (says_no()) {
        *flag = 0;
        return MPI_SUCCESS;
    }
    if (rank == 0 && source == MPI_ANY_SOURCE)
        source = source_choose(tag, comm);
    return PMPI_Iprobe(source, tag, comm, flag, status);
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message,
                MPI_Status *status)
{
    if (says_no()) {
        *flag = 0;
        return MPI_SUCCESS;
    }
    if (rank == 0 && source == MPI_ANY_SOURCE)
        source = source_choose(tag, comm);
    return PMPI_Improbe(source, tag, comm, flag, message, status);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    if (says_no()) {
        *flag = 0;
        return MPI_SUCCESS;
    }
    return PMPI_Test(request, flag, status);
}

/* Persistent receives. One from any source is made anew when it is started,
 * from a rank whose message is there. */
static struct {
    MPI_Request request;
    void *buffer;
    int count, source, tag, active;
    MPI_Datatype type;
    MPI_Comm comm;
} kept[64];
static int kept_count;

static int kept_find(MPI_Request request)
{
    int i = kept_count - 1;
    while (i >= 0 && kept[i].request != request)
        i--;
    return i;
}

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    int code = PMPI_Recv_init(buffer, count, type, source, tag, comm, request),
        i = kept_find(*request);
    if (i < 0)
        i = kept_count++ % 64;
    kept[i].request = *request, kept[i].buffer = buffer, kept[i].count = count, kept[i].type = type;
    kept[i].source = source, kept[i].tag = tag, kept[i].comm = comm, kept[i].active = 0;
    return code;
}

int MPI_Start(MPI_Request *request)
{
    int i = kept_find(*request);
    if (*request == lasting.request)
        note(lasting.buffer, lasting.count, lasting.type, lasting.to, lasting.tag, lasting.comm);
    if (i >= 0 && rank == 0 && kept[i].source == MPI_ANY_SOURCE) {
        int source = source_await(MPI_ANY_SOURCE, kept[i].tag, kept[i].comm);
        PMPI_Request_free(request);
        PMPI_Recv_init(kept[i].buffer, kept[i].count, kept[i].type, source, kept[i].tag,
                       kept[i].comm, request);
        kept[i].request = *request;
    }
    if (i >= 0)
        kept[i].active = 1;
    return PMPI_Start(request);
}

int MPI_Startall(int count, MPI_Request *requests)
{
    for (int i = 0; i < count; i++)
        MPI_Start(&requests[i]);
    return MPI_SUCCESS;
}

/* The requests that are complete, and whether there is any other than null. */
static int complete_find(int count, MPI_Request *requests, int *found, int *active)
{
    int number = 0;
    *active = 0;
    for (int tries = 0; tries < TRIES; tries++)
        pause_a_moment();
    for (int i = 0; i < count; i++) {
        int flag = 0;
        int at = kept_find(requests[i]);
        if (requests[i] == MPI_REQUEST_NULL || (at >= 0 && !kept[at].active))
            continue;
        *active = 1;
        PMPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
        if (flag)
            found[number++] = i;
    }
    return number;
}

static int choose_some(int count, MPI_Request *requests, int *indices, MPI_Status *statuses,
                       int most, int polls)
{
    int found[64], active, number;
    do
        number = complete_find(count, requests, found, &active);
    while (active && number == 0 && !polls);
    if (!active)
        return MPI_UNDEFINED;
    int taken = 0;
    for (; number > 0 && taken < most; number--) {
        int at = (int)draw((unsigned)number), index = found[at], own = kept_find(requests[index]);
        if (taken > 0 && draw(2))
            break;
        if (own >= 0)
            kept[own].active = 0;
        PMPI_Wait(&requests[index],
                  statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[taken]);
        indices[taken++] = index;
        found[at] = found[number - 1];
    }
    return taken;
}

int MPI_Waitany(int count, MPI_Request *requests, int *index, MPI_Status *status)
{
    if (rank != 0)
        return PMPI_Waitany(count, requests, index, status);
    if (choose_some(count, requests, index, status, 1, 0) == MPI_UNDEFINED)
        *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int MPI_Waitsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    if (rank != 0)
        return PMPI_Waitsome(count, requests, done, indices, statuses);
    *done = choose_some(count, requests, indices, statuses, count, 0);
    return MPI_SUCCESS;
}

int MPI_Testany(int count, MPI_Request *requests, int *index, int *flag, MPI_Status *status)
{
    if (rank != 0)
        return PMPI_Testany(count, requests, index, flag, status);
    int taken = says_no() ? 0 : choose_some(count, requests, index, status, 1, 1);
    *flag = taken != 0;
    if (taken != 1)
        *index = MPI_UNDEFINED;
    return MPI_SUCCESS;
}

int MPI_Testsome(int count, MPI_Request *requests, int *done, int *indices, MPI_Status *statuses)
{
    if (rank != 0)
        return PMPI_Testsome(count, requests, done, indices, statuses);
    *done = says_no() ? 0 : choose_some(count, requests, indices, statuses, count, 1);
    return MPI_SUCCESS;
}

/* ---- Turns ---- */

int MPI_Init(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
    return MPI_SUCCESS;
}

static int is_same(const struct sent *a, const struct sent *b)
{
    return a->to == b->to && a->tag == b->tag && a->comm == b->comm && a->hash == b->hash;
}

static int is_channel(const struct sent *a, const struct sent *b)
{
    return a->to == b->to && a->tag == b->tag && a->comm == b->comm;
}

/* Whether each channel of `a` has the same sequence in `b`. */
static int channels_same(const struct record *a, const struct record *b)
{
    for (int i = 0; i < a->count; i++) {
        int before = 0, k;
        for (k = 0; k < i; k++)
            before += is_channel(&a->sent[k], &a->sent[i]);
        for (k = 0; k < b->count; k++)
            if (is_channel(&b->sent[k], &a->sent[i]) && before-- == 0)
                break;
        if (k == b->count || !is_same(&a->sent[i], &b->sent[k]))
            return 0;
    }
    return 1;
}

static int shown(void)
{
    int same = first.count == now.count;
    for (int i = 0; same && i < now.count; i++)
        same = is_same(&first.sent[i], &now.sent[i]);
    if (same)
        return 0;
    return first.count == now.count && channels_same(&first, &now) && channels_same(&now, &first)
               ? 1
               : 2;
}

int main(int argc, char **argv)
{
    static const char *const words[] = {"nothing", "channels", "content"};
    int turns = argc > 1 ? atoi(argv[1]) : 8, worst = 0;
    PMPI_Init(&argc, &argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int turn = 0; turn < turns; turn++) {
        seed = 88172645463325252u + (uint64_t)turn * 0x9e3779b97f4a7c15u;
        now.count = 0;
        program_main(argc, argv);
        PMPI_Barrier(MPI_COMM_WORLD);
        if (turn == 0)
            first = now;
        else if (shown() > worst)
            worst = shown();
    }
    if (rank == 0)
        printf("%s\n", words[worst]);
    PMPI_Finalize();
    return 0;
}
