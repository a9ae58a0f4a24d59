#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>
#include "determinant/determinant.h"
#include "determinant/trail.h"
#include "files/files.h"
#include "request/gate_stub.h"
#include "stream/stream.h"

#define TYPES 64
#define RING ((uint64_t)1 << 22)

struct ft_rank *ft_self;
struct ft_life ft_life; /* without a trace */
__thread int ft_depth;
__thread unsigned ft_site;
unsigned stub_gates;

static struct ft_rank rank_state;
static struct ft_recorder *shared; /* one for all ranks */
static struct ft_comm *comms;      /* the world is also rank_state.handles */
static MPI_Comm runtime_comm, cluster_comm;
static struct ft_spbc clusters;
static struct {
    MPI_Datatype real;
    int held;
} types[TYPES];
static int type_count, errors_return;

#define TURNS 1000 /* more than a drain takes that waits for nothing */

static struct ft_comm *unborn; /* that this rank still makes */

struct ft_comm *ft_comm_unborn(struct ft_rank *self)
{
    (void)self;
    return unborn;
}

/* `committed` of the shared recorder counts them for all. */
void ft_makings_turn(struct ft_rank *self)
{
    (void)self;
    if (!unborn)
        __atomic_fetch_add(&shared->committed, 1, __ATOMIC_RELAXED);
}

int ft_making_made(const struct ft_comm *comm)
{
    return comm == unborn && __atomic_load_n(&shared->committed, __ATOMIC_RELAXED) > TURNS;
}

void ft_log_debug(const char *room, const char *format, ...)
{
    (void)room, (void)format;
}

void ft_warn(const char *format, ...)
{
    (void)format;
}

void ft_panic(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fprintf(stderr, "rank %d: panic: ", rank_state.rank);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

const void *ft_fortran_caller(const void *site)
{
    return site;
}

_Noreturn void ft_refuse(const char *call, const void *site, const char *reason)
{
    ft_panic("%s at %p: %s", call, site, reason);
}

_Noreturn void ft_disbelieve(const struct ft_rank *self, const char *what)
{
    ft_panic("call %u: %s", self->recorder->call, what);
}

void ft_trust_belief(uint32_t site, char *text, size_t size)
{
    snprintf(text, size, "%u", site);
}

_Noreturn void ft_differs(const struct ft_rank *self, const char *what)
{
    ft_panic("call %u: %s", self->recorder->call, what);
}

int ft_files_own(int fd)
{
    return fd;
}

void ft_enter_slowly(struct ft_rank *self, uint32_t call, const void *site, int poll)
{
    ft_depth++;
    if (poll)
        self->recorder->polls = ++self->polls;
    ft_enter_note(self, call, site, ft_site);
    self->fault_call = UINT64_MAX;
}

int ft_error_meet(struct ft_rank *self, struct ft_comm *comm, int code, const char *call)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;

    if (errors_return)
        return code;
    PMPI_Error_string(code, text, &length);
    ft_panic("%s on communicator %d failed on rank %d: %s", call, comm ? comm->handle : 0,
             self->rank, text);
}

struct ft_comm *ft_comm_find_other(struct ft_rank *self, MPI_Comm handle)
{
    for (struct ft_comm *comm = comms; comm; comm = comm->next)
        if (comm->handle == handle && self)
            return comm;
    return NULL;
}

struct ft_comm *ft_comm_first(struct ft_rank *self)
{
    return self ? comms : NULL;
}

int ft_trust_poll(uint32_t site)
{
    (void)site;
    return 0;
}

struct ft_pattern_place ft_trust_place(const struct ft_rank *self)
{
    (void)self;
    return (struct ft_pattern_place){0, 0};
}

MPI_Comm ft_comm_runtime(struct ft_rank *self)
{
    return self ? runtime_comm : MPI_COMM_NULL;
}

MPI_Comm ft_comm_cluster(struct ft_rank *self)
{
    return self ? cluster_comm : MPI_COMM_NULL;
}

struct ft_comm *ft_comm_lanes(struct ft_rank *self)
{
    (void)self;
    return NULL;
}

void ft_comm_hold(struct ft_rank *self, struct ft_comm *comm)
{
    comm->held += self != NULL;
}

void ft_comm_release(struct ft_rank *self, struct ft_comm *comm)
{
    comm->held -= self != NULL;
}

MPI_Datatype ft_type_find(struct ft_rank *self, MPI_Datatype handle)
{
    return self ? types[handle & 0xff].real : MPI_DATATYPE_NULL;
}

int ft_type_made_plain(struct ft_rank *self, MPI_Datatype handle)
{
    (void)self, (void)handle;
    return 0;
}

void ft_type_hold(struct ft_rank *self, MPI_Datatype handle)
{
    types[handle & 0xff].held += self != NULL;
}

void ft_type_release(struct ft_rank *self, MPI_Datatype handle)
{
    types[handle & 0xff].held -= self != NULL;
}

void ft_op_release(struct ft_rank *self, MPI_Op handle)
{
    (void)self, (void)handle;
}

MPI_Datatype stub_type(MPI_Datatype real)
{
    types[type_count].real = real;
    return (MPI_Datatype)(FT_TYPE_BYTE << 24 | type_count++);
}

static struct ft_comm *comm_add(struct ft_comm *comm, MPI_Comm real, MPI_Comm handle, uint64_t id)
{
    MPI_Group mine, world;
    int *ranks;

    PMPI_Comm_set_errhandler(real, MPI_ERRORS_RETURN);
    PMPI_Comm_test_inter(real, &comm->inter);
    PMPI_Comm_rank(real, &comm->rank);
    PMPI_Comm_size(real, &comm->size);
    if (comm->inter)
        PMPI_Comm_remote_group(real, &mine);
    else
        PMPI_Comm_group(real, &mine);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    PMPI_Group_size(mine, &comm->peers);
    ranks = calloc((size_t)comm->peers, sizeof *ranks);
    comm->world = calloc((size_t)comm->peers, sizeof *comm->world);
    for (int i = 0; i < comm->peers; i++)
        ranks[i] = i;
    PMPI_Group_translate_ranks(mine, comm->peers, ranks, world, comm->world);
    free(ranks);
    PMPI_Group_free(&mine);
    PMPI_Group_free(&world);
    comm->real = real;
    comm->handle = handle;
    comm->id = id;
    DL_APPEND(comms, comm);
    return comm;
}

static struct ft_comm *comm_new(MPI_Comm real)
{
    static int made;
    int number = ++made;

    return comm_add(calloc(1, sizeof(struct ft_comm)), real, FT_COMM_BYTE << 24 | number,
                    100 + (uint64_t)number);
}

MPI_Comm stub_comm_dup(void)
{
    MPI_Comm real;

    PMPI_Comm_dup(comms->real, &real);
    return comm_new(real)->handle;
}

MPI_Comm stub_comm_halves(void)
{
    MPI_Comm half, real;
    int rank;

    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    PMPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !(rank % 2), 99, &real);
    return comm_new(real)->handle;
}

void stub_comm_unborn(MPI_Comm handle)
{
    unborn = ft_comm_find_other(&rank_state, handle);
    unborn->expected = 1;
    __atomic_store_n(&shared->committed, 0, __ATOMIC_RELAXED);
}

void stub_comm_errors_return(int on)
{
    errors_return = on;
}

/* FT_TEST_CLUSTERS clusters, to which the ranks belong in turn. */
static void clusters_start(const char *count)
{
    int number = count ? atoi(count) : 0;

    if (number == 0)
        return;
    clusters.clusters = number;
    clusters.mine = rank_state.rank % number;
    clusters.of = calloc((size_t)rank_state.size, sizeof *clusters.of);
    clusters.foreign = calloc((size_t)rank_state.size, 1);
    for (int i = 0; i < rank_state.size; i++) {
        clusters.of[i] = i % number;
        clusters.foreign[i] = clusters.of[i] != clusters.mine;
    }
    rank_state.spbc = &clusters; /* the recorder counts for all: nobody records before the split */
    ft_trail_start(&rank_state, calloc(RING, sizeof(uint32_t)), RING);
    ft_determinants_start(&rank_state, calloc(RING, sizeof(struct ft_determinant)), RING);
    PMPI_Comm_split(MPI_COMM_WORLD, clusters.mine, rank_state.rank, &cluster_comm);
    ft_life.boot.survivor = 1;
    ft_life.boot.window = FT_WIRE_WINDOW;
    ft_streams_start(&rank_state);
}

/* A recorder for all ranks: memory of rank 0, of which nothing stays behind. */
static void *recorder_share(void)
{
    int place[2] = {getpid(), -1}, fd;
    char path[64];
    void *at;

    if (rank_state.rank == 0)
        place[1] = memfd_create("gate_stub", MFD_CLOEXEC);
    if (place[1] >= 0 && ftruncate(place[1], FT_RECORDER_BYTES))
        ft_panic("no shared memory");
    PMPI_Bcast(place, 2, MPI_INT, 0, runtime_comm);
    snprintf(path, sizeof path, "/proc/%d/fd/%d", place[0], place[1]);
    fd = open(path, O_RDWR | O_CLOEXEC);
    at = mmap(NULL, FT_RECORDER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (at == MAP_FAILED)
        ft_panic("%s cannot be mapped", path);
    close(fd);
    PMPI_Barrier(runtime_comm);
    return at;
}

void stub_start(int *argc, char ***argv)
{
    PMPI_Init(argc, argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank_state.rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &rank_state.size);
    PMPI_Comm_dup(MPI_COMM_WORLD, &runtime_comm);
    PMPI_Comm_set_errhandler(runtime_comm, MPI_ERRORS_RETURN);
    shared = recorder_share();
    rank_state.recorder = shared;
    rank_state.fault_call = rank_state.fault_hook = UINT64_MAX;
    rank_state.sent = calloc((size_t)rank_state.size, sizeof(uint64_t));
    rank_state.received = calloc((size_t)rank_state.size, sizeof(uint64_t));
    rank_state.handles = (struct ft_handles *)comm_add(calloc(1, sizeof(struct ft_comm)),
                                                       MPI_COMM_WORLD, MPI_COMM_WORLD, 1);
    comm_add(calloc(1, sizeof(struct ft_comm)), MPI_COMM_SELF, MPI_COMM_SELF, 2)->world[0] =
        rank_state.rank;
    ft_self = &rank_state;
    clusters_start(getenv("FT_TEST_CLUSTERS"));
    ft_requests_start(ft_self);
}

static void wait_native(MPI_Request *request, MPI_Status *status)
{
    int flag = 0;

    while (!flag) {
        PMPI_Test(request, &flag, status);
        sched_yield();
    }
}

/* Takes a posted receive out of the library. A message of another cluster that it has met is lost.
 */
static void recv_drop(struct ft_rank *self, struct ft_request *request)
{
    MPI_Status status;
    int cancelled = 0;

    if (request->real == MPI_REQUEST_NULL)
        return;
    PMPI_Cancel(&request->real);
    wait_native(&request->real, &status);
    PMPI_Test_cancelled(&status, &cancelled);
    if (!cancelled && !ft_stream_foreign(self, request->comm, status.MPI_SOURCE))
        ft_panic("a message was left in flight");
}

/* Takes the receive of an answer out of the library (meeting.h). */
static void answer_drop(struct ft_request *request)
{
    PMPI_Cancel(&request->real);
    wait_native(&request->real, MPI_STATUS_IGNORE);
}

/* Throws away what has arrived for nobody. */
static void unexpected_drop(void)
{
    MPI_Message message;
    MPI_Status status;
    int flag;

    for (struct ft_comm *comm = comms; comm; comm = comm->next)
        while (PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm->real, &flag, &message, &status) ==
                   MPI_SUCCESS &&
               flag) {
            MPI_Count bytes = 0;
            char *data;

            PMPI_Get_count_c(&status, MPI_BYTE, &bytes);
            data = malloc((size_t)bytes + 1);
            PMPI_Mrecv_c(data, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
            free(data);
        }
}

/* Messages between clusters are lost: thrown away until all sends have ended, so that the
 * library can be finalized. The communicators are others from here on. */
static void messages_drop(struct ft_rank *self)
{
    struct ft_request *request;
    MPI_Request all;
    int flag = 0;

    FT_ACTIVE_FOREACH (self->requests, request)
        while (request->kind == FT_REQUEST_SEND && request->real != MPI_REQUEST_NULL) {
            PMPI_Test(&request->real, &flag, MPI_STATUS_IGNORE);
            unexpected_drop();
        }
    PMPI_Ibarrier(runtime_comm, &all);
    for (flag = 0; !flag; sched_yield()) {
        unexpected_drop();
        PMPI_Test(&all, &flag, MPI_STATUS_IGNORE);
    }
}

/* A new epoch in the running library. */
static void epoch_change(struct ft_rank *self)
{
    struct ft_request *request;
    MPI_Request all;
    MPI_Comm old;

    FT_ACTIVE_FOREACH (self->requests, request)
        if (request->kind == FT_REQUEST_RECV)
            recv_drop(self, request);
        else if (request->meeting)
            answer_drop(request);
    if (self->spbc) {
        PMPI_Ibarrier(runtime_comm, &all); /* a drain must not see what is dropped as received */
        wait_native(&all, MPI_STATUS_IGNORE);
        messages_drop(self);
    }
    for (struct ft_comm *comm = comms; comm; comm = comm->next) {
        old = comm->real;
        PMPI_Comm_dup(old, &comm->real);
        PMPI_Comm_set_errhandler(comm->real, MPI_ERRORS_RETURN);
        /* A new communicator must not get the context of one with forgotten messages. */
        if (old != MPI_COMM_WORLD && old != MPI_COMM_SELF && !self->spbc)
            PMPI_Comm_free(&old);
    }
    for (int i = 0; i < type_count; i++) {
        MPI_Datatype type = types[i].real;

        PMPI_Type_dup(type, &types[i].real);
        PMPI_Type_free(&type);
    }
    ft_life.torn = 0;
    if (self->spbc) {
        ft_foreign_rebuild(self);
        ft_streams_rebuild(self);
    }
    ft_requests_rebuild(self);
}

void ft_gate_enter(struct ft_rank *self, enum ft_waiting waiting)
{
    uint32_t mine = __atomic_load_n(&shared->order, __ATOMIC_ACQUIRE), all;
    MPI_Request request;

    (void)waiting;
    PMPI_Iallreduce(&mine, &all, 1, MPI_UINT32_T, MPI_MAX, runtime_comm, &request);
    wait_native(&request, MPI_STATUS_IGNORE);
    self->order_seen = all;
    stub_gates++;
    ft_drain(self, 0);
    if (unborn)
        unborn->expected = 0;
    unborn = NULL;
    epoch_change(self);
}

void ft_gate_pass(struct ft_rank *self, unsigned pass)
{
    (void)self;
    (void)pass;
}

void stub_checkpoint(void)
{
    __atomic_fetch_add(&shared->order, 1, __ATOMIC_RELEASE);
}

void stub_gate_pending(void)
{
    if (shared->order != rank_state.order_seen)
        ft_gate_enter(ft_self, FT_WAITING_NOT);
}

static void timer_bump(int signal)
{
    (void)signal;
    if (shared->order == rank_state.order_seen)
        stub_checkpoint();
}

void stub_checkpoint_often(long microseconds)
{
    struct itimerval timer = {{0, microseconds}, {0, microseconds}};
    struct sigaction action = {.sa_handler = timer_bump, .sa_flags = SA_RESTART};

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static int any_active(void)
{
    return rank_state.requests->active.next != &rank_state.requests->active;
}

/* Lets all ranks see the last order, then the same number of gates. */
static void settle(void)
{
    int in, out = 0;

    for (int step = 1; step < rank_state.size; step *= 2)
        MPI_Sendrecv(&out, 1, MPI_INT, (rank_state.rank + step) % rank_state.size, 77, &in, 1,
                     MPI_INT, (rank_state.rank + rank_state.size - step) % rank_state.size, 77,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    stub_gate_pending();
    /* No drain has ended a request that the program has given up; and others may wait for its
     * resent message. */
    while (rank_state.spbc && (any_active() || rank_state.spbc->replaying)) {
        ft_requests_look(ft_self);
        ft_streams_turn(ft_self);
    }
}

void stub_finish(void)
{
    settle();
    if (any_active() || rank_state.requests->drained_count || rank_state.requests->messages)
        ft_panic("something is left: active %d, drained %u", any_active(),
                 rank_state.requests->drained_count);
    for (int i = 0; i < type_count; i++)
        if (types[i].held)
            ft_panic("datatype %d is still held", i);
    for (struct ft_comm *comm = comms; comm; comm = comm->next)
        if (comm->held)
            ft_panic("communicator %d is still held", comm->handle);
    PMPI_Finalize();
}

void ft_error_await(int code)
{
    (void)code;
}

void ft_ask(uint32_t question)
{
    (void)question;
}
