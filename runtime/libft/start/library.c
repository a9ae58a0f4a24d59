/* The MPI library's beginning and end in one epoch (start.h). */
#include "start/start.h"

#include <errno.h>
#include "library/library.h"
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chance/chance.h"
#include "checkpoint/checkpoint.h"
#include "determinant/determinant.h"
#include "determinant/trail.h"
#include "fault/fault.h"
#include "files/files.h"
#include "handle/failure.h"
#include "handle/handle.h"
#include "image/layout.h"
#include "os/os.h"
#include "request/follow.h"
#include "request/request.h"
#include "request/virtual.h"
#include "start/topology.h"
#include "stream/contents.h"
#include "stream/stream.h"
#include "trace/trace.h"

size_t ft_start_pmi(char *buffer, const char **text, int *fd)
{
    ssize_t length = ft_wire_receive(ft_life.control, 1, buffer, fd);
    const size_t front = sizeof(struct ft_wire_head) + sizeof(struct ft_wire_number);

    if (length <= 0)
        ft_panic("ftrun is gone");
    if (((struct ft_wire_head *)buffer)->type != FT_WIRE_PMI || (size_t)length < front || *fd < 0)
        ft_panic("expected PMI from ftrun, got message %u", ((struct ft_wire_head *)buffer)->type);
    *fd = ft_files_own(*fd);
    if (*fd < 0)
        ft_panic("no descriptor is free for PMI");
    *text = buffer + front;
    return (size_t)length - front;
}

/* The variables of PMI and of the library, and behind them the program's environment, which may
 * have some of their names. The block is never freed: the library may keep pointers to what getenv
 * answered. */
static char **pmi_environment(const char *text, size_t length, int fd)
{
    const char *const *more = ft_library_variables();
    size_t own = 0, count = 0, used = 0, extra = 0;
    char *strings = malloc(length + 32);
    char **list;

    while (environ && environ[own])
        own++;
    while (more[extra])
        extra++;
    list = malloc((own + length / 2 + extra + 3) * sizeof *list);
    if (strings == NULL || list == NULL)
        ft_panic("no memory for the environment of PMI");
    memcpy(strings, text, length);
    for (char *at = strings; used < length; at = strings + used) {
        if (strncmp(at, "PMI_FD=", 7) != 0)
            list[count++] = at;
        used += strlen(at) + 1;
    }
    sprintf(strings + length, "PMI_FD=%d", fd);
    list[count++] = strings + length;
    for (size_t i = 0; i < extra; i++)
        list[count++] = (char *)(uintptr_t)more[i];
    if (own > 0)
        memcpy(&list[count], environ, own * sizeof *list);
    list[count + own] = NULL;
    return list;
}

int ft_start_mpi(int required, int *provided)
{
    static char buffer[FT_WIRE_MAX];
    struct ft_recorder *recorder = (struct ft_recorder *)FT_RECORDER_AT;
    char **program = environ;
    const char *text;
    int fd, code;
    size_t length = ft_start_pmi(buffer, &text, &fd);

    if (length > 0 && text[length - 1] != 0)
        ft_panic("the variables of PMI are not terminated");
    environ = pmi_environment(text, length, fd);
    ft_fault_point(FT_POINT_EPOCH_LIBRARY, ft_life.boot.epoch);
    recorder->starting = 1;
    ft_topology_begin(ft_life.boot.topology, ft_life.boot.rank == 0);
    code = PMPI_Init_thread(NULL, NULL, required, provided);
    ft_topology_end();
    recorder->starting = code == MPI_SUCCESS;
    environ = program;
    return code;
}

static struct ft_determinant *ring_of(const struct ft_rank *self)
{
    uint64_t at = FT_RECORDER_AT + FT_RECORDER_BYTES;

    return (struct ft_determinant *)(self->spbc->ulfm ? at + FT_DEATHS_BYTES : at);
}

/* The order in which threads send and receive is no determinant, and a verification compares one
 * order of calls. */
static int threads_most(int required)
{
    if (required < MPI_THREAD_MULTIPLE)
        return MPI_THREAD_SERIALIZED;
    if (!ft_life.boot.clusters && !ft_life.boot.trace[0])
        return MPI_THREAD_MULTIPLE;
    if (ft_life.boot.rank == 0)
        ft_warn("MPI_THREAD_MULTIPLE was asked for, and MPI_THREAD_SERIALIZED is given: one thread "
                "at a time may be in MPI; --protocol coordinated gives MPI_THREAD_MULTIPLE");
    return MPI_THREAD_SERIALIZED;
}

/* From the end of MPI_Init_thread on: its wrapper leaves with the lock. */
static void threads_begin(struct ft_rank *self)
{
    self->order_never = FT_ORDER_NEVER;
    self->order_seen ^= FT_ORDER_NEVER;
    ft_threads_again(1);
    ft_fault_pending |= FT_PENDING_THREADS;
    ft_fault_arm(self);
}

int ft_start_library(struct ft_rank *self, int required, int *provided)
{
    const int most = threads_most(required);
    int level = required < most ? required : most;
    struct ft_wire_number none = {0};
    int code;

    ft_spin_tune(self);
    code = ft_start_mpi(level, provided);
    if (code != MPI_SUCCESS)
        return code;
    if (*provided > most)
        *provided = most;
    self->thread_level = *provided;
    self->sent = ft_image_alloc((size_t)self->size * sizeof *self->sent);
    self->received = ft_image_alloc((size_t)self->size * sizeof *self->received);
    ft_handles_start(self);
    if (self->spbc) {
        ft_streams_start(self);
        ft_trail_start(self,
                       (uint32_t *)(FT_RECORDER_AT + FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES),
                       FT_RECORDER_TRAIL);
        ft_contents_start(self,
                          (struct ft_content *)(FT_RECORDER_AT + FT_RECORDER_BYTES +
                                                FT_RECORDER_RING_BYTES + FT_RECORDER_TRAIL_BYTES),
                          FT_RECORDER_CONTENTS);
        if (ft_life.boot.ulfm)
            ft_failure_start(self);
        ft_determinants_start(self, ring_of(self),
                              self->spbc->ulfm ? FT_DEATHS_RING : FT_RECORDER_RING);
    }
    ft_chance_start();
    ft_requests_start(self);
    ft_follow_start(self);
    ft_trace_start(self);
    self->mpi_state = 1;
    ft_fault_arm(self);
    self->recorder->starting = 0;
    self->recorder->phase = FT_PHASE_RUNNING;
    ft_wire_send(ft_life.control, FT_WIRE_INITED, &none, sizeof none, NULL, 0, -1);
    if (ft_life.boot.replacement) /* until then another new process may be needed */
        ft_gate_wait(self);
    ft_gate_enter(self, FT_WAITING_NOT);
    if (self->thread_level == MPI_THREAD_MULTIPLE)
        threads_begin(self);
    return MPI_SUCCESS;
}

static int tell_traffic(const struct ft_rank *self)
{
    struct ft_wire_traffic *traffic = ft_image_alloc((size_t)self->size * sizeof *traffic);
    int code;

    ft_streams_traffic(self, traffic);
    code = ft_wire_send_list(ft_life.control, FT_WIRE_TRAFFIC, traffic, sizeof *traffic,
                             (size_t)self->size);
    ft_image_free(traffic);
    return code;
}

/* Once in each life, because an image may have been taken here. */
static void tell_finalizing(const struct ft_rank *self)
{
    if (ft_life.finalizing)
        return;
    ft_life.finalizing = 1;
    if ((self->spbc && tell_traffic(self)) ||
        ft_wire_send(ft_life.control, FT_WIRE_FINALIZING, NULL, 0, NULL, 0, -1))
        ft_panic("ftrun is gone");
}

/* Looks for FINALIZE; gates are passed on the way. */
static void poll_finalize(struct ft_rank *self)
{
    static char buffer[FT_WIRE_MAX];
    struct pollfd wait = {.fd = ft_life.control, .events = POLLIN};
    int fd;

    ft_wait_point(self, FT_WAITING_END);
    if (ft_life.finalize)
        return;
    ft_progress(self);
    if (poll(&wait, 1, 1) <= 0)
        return;
    ssize_t length = ft_wire_receive(ft_life.control, 0, buffer, &fd);
    if (length == 0)
        ft_panic("ftrun is gone");
    if (length > 0 && ((struct ft_wire_head *)buffer)->type == FT_WIRE_FINALIZE)
        ft_life.finalize = 1;
    if (length > 0 && ((struct ft_wire_head *)buffer)->type == FT_WIRE_END)
        ft_gate_end();
}

int ft_finish_library(struct ft_rank *self)
{
    ft_life.finalize = 0;
    while (!ft_life.finalize) {
        tell_finalizing(self);
        ft_fault_point(FT_POINT_FINALIZE_WAIT, 0);
        poll_finalize(self);
    }
    if (self->trace != NULL) {
        ft_requests_look(self);
        ft_trace_end(self);
    }
    ft_fault_point(FT_POINT_FINALIZE_END, 0);
    self->mpi_state = 2;
    ft_fault_arm(self);
    self->recorder->phase = FT_PHASE_FINALIZED;
    return MPI_SUCCESS;
}
