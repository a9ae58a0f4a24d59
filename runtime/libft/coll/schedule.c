/* The engine: writes schedules and carries them on.
 *
 * Invariant: steps before `open` are complete; those from `open` to `at` have begun, and of them
 * only messages can be incomplete; the rest has not begun. `request` is set exactly for messages
 * that have begun and whose end has not been seen. */
#include <limits.h>
#include <string.h>
#include "coll/schedule.h"
#include "coll/shape.h"
#include "handle/pack.h"

struct ft_memory {
    struct ft_memory *next;
    _Alignas(16) char data[];
};

struct ft_schedule *ft_schedule_create(struct ft_comm *on)
{
    struct ft_schedule *schedule = ft_image_alloc(sizeof(*schedule));

    schedule->on = on;
    schedule->tag = ft_schedule_tag(on);
    schedule->code = MPI_SUCCESS;
    schedule->step = schedule->few;
    schedule->room = FT_STEPS_FEW;
    return schedule;
}

static void steps_grow(struct ft_schedule *schedule)
{
    struct ft_step *old = schedule->step == schedule->few ? NULL : schedule->step;

    schedule->room *= 2;
    schedule->step = ft_image_realloc(old, (size_t)schedule->room * sizeof(*schedule->step));
    if (!old)
        memcpy(schedule->step, schedule->few, sizeof(schedule->few));
}

static int is_made(uint32_t bits, enum ft_handle_byte byte)
{
    return bits >> 24 == byte;
}

static void step_add(struct ft_rank *self, struct ft_schedule *schedule, struct ft_step step)
{
    if (schedule->count == schedule->room)
        steps_grow(schedule);
    if (is_made(ft_handle_bits(step.type), FT_TYPE_BYTE))
        ft_type_hold(self, step.type);
    if (is_made(ft_handle_bits(step.type_to), FT_TYPE_BYTE))
        ft_type_hold(self, step.type_to);
    if (is_made(ft_handle_bits(step.op), FT_OP_BYTE))
        ft_op_hold(self, step.op);
    schedule->step[schedule->count++] = step;
}

void ft_schedule_send(struct ft_rank *self, struct ft_schedule *schedule, const void *buffer,
                      int count, MPI_Datatype type, int world)
{
    step_add(self, schedule,
             (struct ft_step){.kind = FT_STEP_SEND,
                              .from = buffer,
                              .count = count,
                              .type = type,
                              .type_to = MPI_DATATYPE_NULL,
                              .op = MPI_OP_NULL,
                              .world = world});
}

void ft_schedule_receive(struct ft_rank *self, struct ft_schedule *schedule, void *buffer,
                         int count, MPI_Datatype type, int world)
{
    step_add(self, schedule,
             (struct ft_step){.kind = FT_STEP_RECEIVE,
                              .to = buffer,
                              .count = count,
                              .type = type,
                              .type_to = MPI_DATATYPE_NULL,
                              .op = MPI_OP_NULL,
                              .world = world});
}

void ft_schedule_reduce(struct ft_rank *self, struct ft_schedule *schedule, const void *in,
                        void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    step_add(self, schedule,
             (struct ft_step){.kind = FT_STEP_REDUCE,
                              .from = in,
                              .to = inout,
                              .count = count,
                              .type = type,
                              .type_to = MPI_DATATYPE_NULL,
                              .op = op});
}

void ft_schedule_copy(struct ft_rank *self, struct ft_schedule *schedule, const void *from,
                      int count, MPI_Datatype type, void *to, int count_to, MPI_Datatype type_to)
{
    step_add(self, schedule,
             (struct ft_step){.kind = FT_STEP_COPY,
                              .from = from,
                              .to = to,
                              .count = count,
                              .type = type,
                              .count_to = count_to,
                              .type_to = type_to,
                              .op = MPI_OP_NULL});
}

void ft_schedule_round(struct ft_rank *self, struct ft_schedule *schedule)
{
    step_add(self, schedule,
             (struct ft_step){.kind = FT_STEP_ROUND,
                              .type = MPI_DATATYPE_NULL,
                              .type_to = MPI_DATATYPE_NULL,
                              .op = MPI_OP_NULL});
}

void *ft_schedule_buffer(struct ft_rank *self, struct ft_schedule *schedule, int count,
                         MPI_Datatype type)
{
    struct ft_shape shape = ft_shape_of(self, type);
    MPI_Aint others = count > 0 ? shape.extent * (count - 1) : 0;
    MPI_Aint below = (others < 0 ? -others : 0) - shape.first;
    size_t bytes = count > 0 ? (size_t)(shape.room + (others < 0 ? -others : others)) : 0;
    struct ft_memory *memory;

    if (bytes <= sizeof(schedule->little) - (size_t)schedule->used) {
        char *place = schedule->little + schedule->used;

        schedule->used += (int)((bytes + 15) & ~(size_t)15);
        return place + below;
    }
    memory = ft_image_alloc(sizeof(*memory) + bytes);
    memory->next = schedule->memory;
    schedule->memory = memory;
    return memory->data + below;
}

static void step_release(struct ft_rank *self, const struct ft_step *step)
{
    if (is_made(ft_handle_bits(step->type), FT_TYPE_BYTE))
        ft_type_release(self, step->type);
    if (is_made(ft_handle_bits(step->type_to), FT_TYPE_BYTE))
        ft_type_release(self, step->type_to);
    if (is_made(ft_handle_bits(step->op), FT_OP_BYTE))
        ft_op_release(self, step->op);
}

static void schedule_destroy(struct ft_rank *self, struct ft_schedule *schedule)
{
    struct ft_memory *memory, *next;

    for (int i = 0; i < schedule->count; i++)
        step_release(self, &schedule->step[i]);
    LL_FOREACH_SAFE (schedule->memory, memory, next)
        ft_image_free(memory);
    if (schedule->step != schedule->few)
        ft_image_free(schedule->step);
    ft_image_free(schedule);
}

static void note(struct ft_schedule *schedule, int code)
{
    if (schedule->code == MPI_SUCCESS)
        schedule->code = code;
}

/* Data with gaps is received packed, because MPICH 4.0.2 may report truncation where a long message
 * that was sent packed, as one from a log is, meets a receive of such a datatype. */
static void receive_describe(struct ft_rank *self, struct ft_schedule *schedule,
                             struct ft_step *step, struct ft_request *request)
{
    struct ft_shape shape = ft_shape_of(self, step->type);
    long long bytes = (long long)step->count * shape.size;

    if (shape.plain || bytes == 0 || bytes > INT_MAX) {
        ft_request_describe(self, request, step->to, step->count, step->type, step->world,
                            schedule->tag);
        return;
    }
    step->packed = ft_image_alloc((size_t)bytes);
    ft_request_describe(self, request, step->packed, (int)bytes, MPI_BYTE, step->world,
                        schedule->tag);
}

static int message_post(struct ft_rank *self, struct ft_schedule *schedule, struct ft_step *step)
{
    int sends = step->kind == FT_STEP_SEND, code;
    struct ft_request *request =
        ft_request_create(self, sends ? FT_REQUEST_SEND : FT_REQUEST_RECV, ft_comm_lanes(self));

    if (sends)
        ft_request_describe(self, request, step->from, step->count, step->type, step->world,
                            schedule->tag);
    else
        receive_describe(self, schedule, step, request);
    code = sends ? ft_send_post(self, request) : ft_recv_post(self, request);
    if (code == MPI_SUCCESS)
        step->request = request;
    else
        ft_request_destroy(self, request);
    return code;
}

/* Puts `bytes` of packed data into a buffer. */
static int unpack(struct ft_rank *self, const char *packed, MPI_Count bytes, void *buffer,
                  MPI_Datatype type)
{
    MPI_Count size = ft_shape_of(self, type).size;

    return bytes == 0 ? MPI_SUCCESS
                      : ft_unpack(packed, bytes, buffer, bytes / size, ft_type_real(self, type),
                                  MPI_COMM_SELF);
}

static int copy_run(struct ft_rank *self, const struct ft_step *step)
{
    struct ft_shape shape = ft_shape_of(self, step->type);
    size_t bytes = (size_t)step->count * (size_t)shape.size;
    MPI_Count place = 0;
    char *packed;
    int code;

    if (shape.plain && step->type == step->type_to && step->count == step->count_to) {
        if (step->count)
            memcpy(step->to, step->from, bytes);
        return MPI_SUCCESS;
    }
    if (bytes > (size_t)step->count_to * (size_t)ft_shape_of(self, step->type_to).size)
        return MPI_ERR_TRUNCATE;
    packed = ft_image_alloc(bytes);
    code = ft_pack(step->from, step->count, ft_type_real(self, step->type), packed,
                   (MPI_Count)bytes, &place, MPI_COMM_SELF);
    if (code == MPI_SUCCESS)
        code = unpack(self, packed, place, step->to, step->type_to);
    ft_image_free(packed);
    return code;
}

static int step_run(struct ft_rank *self, struct ft_schedule *schedule, struct ft_step *step)
{
    switch (step->kind) {
    case FT_STEP_REDUCE:
        return PMPI_Reduce_local(step->from, step->to, step->count, ft_type_real(self, step->type),
                                 ft_op_real(self, step->op));
    case FT_STEP_COPY:
        return copy_run(self, step);
    default:
        return message_post(self, schedule, step);
    }
}

static void packed_take(struct ft_rank *self, struct ft_schedule *schedule, struct ft_step *step)
{
    int bytes = 0;

    if (step->request->code == MPI_SUCCESS) /* else MPICH has not counted them */
        PMPI_Get_count(&step->request->status, MPI_BYTE, &bytes);
    if (bytes > 0)
        note(schedule, unpack(self, step->packed, bytes, step->to, step->type));
    ft_image_free(step->packed);
    step->packed = NULL;
}

/* Has the step come to its end? */
static int step_ended(struct ft_rank *self, struct ft_schedule *schedule, struct ft_step *step)
{
    struct ft_request *request = step->request;

    if (!request)
        return 1;
    if (request->state == FT_REQUEST_ACTIVE)
        ft_request_poll(self, request);
    if (request->state == FT_REQUEST_ACTIVE)
        return 0;
    note(schedule, request->code);
    if (step->packed)
        packed_take(self, schedule, step);
    step->request = NULL;
    ft_request_destroy(self, request);
    return 1;
}

static struct ft_schedule *schedule_of(const struct ft_request *request)
{
    return request->argument;
}

static void schedule_advance(struct ft_rank *self, struct ft_request *request);

/* Is one with the same tag running that started before? The list is in the order of the starts. */
static int older_runs(struct ft_rank *self, const struct ft_schedule *schedule)
{
    struct ft_request *request;

    DL_FOREACH (self->requests->running, request) {
        if (request->advance != schedule_advance)
            continue;
        if (schedule_of(request) == schedule)
            return 0;
        if (schedule_of(request)->tag == schedule->tag)
            return 1;
    }
    return 0;
}

/* Carries it on as far as it goes. Answers whether it is complete. */
static int schedule_run(struct ft_rank *self, struct ft_schedule *schedule)
{
    if (ft_unlikely(schedule->waits) && older_runs(self, schedule))
        return 0;
    schedule->waits = 0;
    for (;;) {
        struct ft_step *step = schedule->step;

        for (; schedule->at < schedule->count; schedule->at++) {
            if (step[schedule->at].kind == FT_STEP_ROUND)
                break;
            note(schedule, step_run(self, schedule, &step[schedule->at]));
        }
        for (; schedule->open < schedule->at; schedule->open++)
            if (!step_ended(self, schedule, &step[schedule->open]))
                return 0;
        if (schedule->at == schedule->count)
            return 1;
        schedule->open = ++schedule->at;
    }
}

static void schedule_advance(struct ft_rank *self, struct ft_request *request)
{
    struct ft_schedule *schedule = schedule_of(request);
    int code;

    if (!schedule_run(self, schedule))
        return;
    code = schedule->code;
    schedule_destroy(self, schedule);
    ft_request_ran(self, request, code);
}

static int schedule_wait(struct ft_rank *self, struct ft_schedule *schedule)
{
    unsigned polls = 0;
    int code;

    while (!schedule_run(self, schedule))
        ft_wait_pause(self, &polls);
    code = schedule->code;
    schedule_destroy(self, schedule);
    return code;
}

int ft_schedule_start(struct ft_rank *self, struct ft_schedule *schedule, MPI_Request *handle)
{
    struct ft_request *request;

    schedule->waits = self->requests->running != NULL;
    if (!handle)
        return schedule_wait(self, schedule);
    request = ft_request_create(self, FT_REQUEST_COLLECTIVE, schedule->on);
    *handle = request->handle;
    ft_request_run(self, request, schedule_advance, schedule);
    schedule_advance(self, request);
    return MPI_SUCCESS;
}
