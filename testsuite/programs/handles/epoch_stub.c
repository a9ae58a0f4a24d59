/* Stands in for the rooms around handle, request and pmpi: a rank state in ordinary memory, a
 * recorder that nobody reads, no gate. epoch_change drains, frees every real handle, and rebuilds.
 */
#include <stdarg.h>
#include <unistd.h>
#include <utlist.h>
#include "checkpoint/checkpoint.h"
#include "epoch.h"
#include "files/files.h"
#include "ft.h"
#include "handle/handles.h"
#include "request/virtual.h"
#include "start/native.h"
#include "start/start.h"
#include "pattern/pattern.h"

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

void ft_enter_slowly(struct ft_rank *self, uint32_t call, const void *site, int poll)
{
    (void)self;
    (void)call;
    (void)site;
    (void)poll;
    abort(); /* no order names a call here */
}

int ft_native_begun(int code)
{
    return code;
}

int ft_native_ended(int code)
{
    return code;
}

int ft_native_abort(void)
{
    return 0;
}

const void *ft_fortran_caller(const void *site)
{
    return site;
}

void ft_gate_pass(struct ft_rank *self, unsigned pass)
{
    (void)self;
    (void)pass;
}

const int epoch_stub = 1;

struct ft_rank *ft_self;
struct ft_life ft_life = {.control = -1};
__thread int ft_depth __attribute__((tls_model("initial-exec")));
__thread unsigned ft_site __attribute__((tls_model("initial-exec")));

static struct ft_recorder recorder;
static struct ft_rank rank_state = {.recorder = &recorder, .fault_call = UINT64_MAX};

void ft_panic(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, " (rank %d)\n", rank_state.rank);
    abort();
}

void ft_log_debug(const char *room, const char *format, ...)
{
    (void)room;
    (void)format;
}

void ft_warn(const char *format, ...)
{
    (void)format;
}

/* Traces have files of their own, and nothing is traced here. */
int ft_files_own(int fd)
{
    return fd;
}

void ft_refuse(const char *call, const void *site, const char *reason)
{
    printf("%s at %s: %s\n", call, site ? "a place" : "no place", reason);
    fflush(stdout);
    _exit(3);
}

void ft_gate_enter(struct ft_rank *self, enum ft_waiting waiting)
{
    (void)self;
    (void)waiting;
    ft_panic("the gate was entered without an order");
}

void ft_gate_leave(struct ft_rank *self)
{
    (void)self;
    ft_panic("an epoch was left");
}

void ft_fault_call(struct ft_rank *self)
{
    (void)self;
    ft_panic("a kill order fired");
}

int ft_wire_send(int socket, uint32_t type, const void *payload, size_t length, const void *tail,
                 size_t tail_length, int fd)
{
    const struct ft_wire_number *number = payload;

    (void)socket, (void)length, (void)tail, (void)tail_length, (void)fd;
    if (type == FT_WIRE_ABORT)
        _exit((int)number->value);
    return 0;
}

int ft_start_library(struct ft_rank *self, int required, int *provided)
{
    int code = PMPI_Init_thread(NULL, NULL, required, provided);

    PMPI_Comm_rank(MPI_COMM_WORLD, &self->rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &self->size);
    self->sent = ft_image_alloc((size_t)self->size * sizeof(uint64_t));
    self->received = ft_image_alloc((size_t)self->size * sizeof(uint64_t));
    ft_handles_start(self);
    ft_requests_start(self);
    self->thread_level = *provided;
    self->mpi_state = 1;
    return code;
}

int ft_finish_library(struct ft_rank *self)
{
    (void)self;
    return PMPI_Finalize();
}

__attribute__((constructor)) static void rank_start(void)
{
    if (!getenv("EPOCH_NATIVE"))
        ft_self = &rank_state;
}

static void receives_withdraw(struct ft_rank *self)
{
    struct ft_request *request;
    MPI_Status status;
    int cancelled;

    FT_ACTIVE_FOREACH (self->requests, request) {
        PMPI_Cancel(&request->real);
        PMPI_Wait(&request->real, &status);
        PMPI_Test_cancelled(&status, &cancelled);
        if (!cancelled)
            ft_panic("a message was left in flight");
    }
}

static void comms_free(struct ft_handles *handles)
{
    struct ft_comm *comm;

    DL_FOREACH (handles->comm, comm)
        if (comm != &handles->world && comm != &handles->alone)
            ft_must(PMPI_Comm_free(&comm->real), "PMPI_Comm_free");
    ft_must(PMPI_Comm_free(&handles->runtime), "PMPI_Comm_free");
    ft_must(PMPI_Group_free(&handles->world_group), "PMPI_Group_free");
}

static void errors_forget(struct ft_handles *handles)
{
    struct ft_added *added;

    for (added = handles->added ? handles->added->prev : NULL; added;
         added = added == handles->added ? NULL : added->prev) {
        if (added->what == FT_ERROR_STRING)
            PMPIX_Delete_error_string(added->given);
        else if (added->what == FT_ERROR_CODE)
            PMPIX_Delete_error_code(added->made);
        else
            PMPIX_Delete_error_class(added->made);
    }
}

static void objects_free(struct ft_handles *handles)
{
    struct ft_group *group;
    struct ft_info *info;
    struct ft_type *type;
    struct ft_op *op;

    DL_FOREACH (handles->group, group)
        ft_must(PMPI_Group_free(&group->real), "PMPI_Group_free");
    DL_FOREACH (handles->info, info)
        ft_must(PMPI_Info_free(&info->real), "PMPI_Info_free");
    DL_FOREACH (handles->type, type)
        if (type->combiner && !type->permanent)
            ft_must(PMPI_Type_free(&type->real), "PMPI_Type_free");
    DL_FOREACH (handles->op, op)
        ft_must(PMPI_Op_free(&op->real), "PMPI_Op_free");
}

/* Both clocks and identities must agree on all members. */
static void comms_compare(struct ft_rank *self)
{
    struct ft_comm *comm;
    struct ft_wire_clock clock[16];
    uint64_t mine[2], low[2], high[2];
    uint32_t count, index = 0;

    while ((count = ft_comm_clocks(self, index, clock, 16)))
        index += count;
    ft_comm_forget(self);
    DL_FOREACH (self->handles->comm, comm) {
        if (comm->inter || comm->handle == MPI_COMM_NULL)
            continue;
        mine[0] = comm->id;
        mine[1] = comm->clock;
        PMPI_Allreduce(mine, low, 2, MPI_UINT64_T, MPI_MIN, comm->real);
        PMPI_Allreduce(mine, high, 2, MPI_UINT64_T, MPI_MAX, comm->real);
        if (memcmp(mine, low, sizeof(mine)) || memcmp(mine, high, sizeof(mine)))
            ft_panic("identity or clock differs: %lx %lu", comm->id, comm->clock);
    }
}

void epoch_change(void)
{
    struct ft_rank *self = ft_self;
    const char *wrong;

    if (!self) {
        PMPI_Barrier(MPI_COMM_WORLD);
        return;
    }
    ft_depth++;
    ft_drain(self, 0);
    comms_compare(self);
    wrong = ft_handles_wrong(self);
    if (wrong)
        ft_panic("%s", wrong);
    receives_withdraw(self);
    comms_free(self->handles);
    objects_free(self->handles);
    errors_forget(self->handles);
    ft_handles_rebuild(self);
    ft_requests_rebuild(self);
    ft_depth--;
}

void ft_trust_belief(uint32_t site, char *text, size_t size)
{
    (void)site;
    if (size > 0)
        *text = 0;
}

ssize_t ft_wire_receive(int socket, int wait, void *buffer, int *fd)
{
    (void)socket, (void)wait, (void)buffer, (void)fd;
    return 0;
}

const void *ft_wire_payload(const void *buffer, size_t length)
{
    (void)buffer, (void)length;
    return NULL;
}
