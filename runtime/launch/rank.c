/* rank: one rank's process, its messages, its pipes.
 *
 * Every life is started with the same words (arguments, environment, descriptors 0 to 4), because
 * a restore needs the same layout: 3 is the control socket, 4 the recorder. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>
#include "launch/run.h"
#include "launch/spawn.h"

enum { CONTROL = 3, RECORDER = 4 };

static void on_control(void *context, uint32_t events)
{
    struct ft_member *member = context;

    ft_rank_listen(member);
    if (events & (EPOLLHUP | EPOLLERR) && member->control >= 0) {
        ft_loop_forget(member->run->loop, member->control);
        member->first_sign = ft_loop_now();
    }
}

/* Reads what one pipe holds. Returns 0 when it has ended. */
static int drain_pipe(struct ft_member *member, int stream)
{
    static char block[65536];
    ssize_t got;

    while ((got = read(member->out[stream], block, sizeof(block))) > 0)
        ft_output_feed(member->run->output, member->rank, stream, block, (size_t)got);
    return got < 0 && errno != EIO;
}

static void close_pipe(struct ft_member *member, int stream)
{
    if (member->out[stream] < 0)
        return;
    ft_loop_forget(member->run->loop, member->out[stream]);
    close(member->out[stream]);
    member->out[stream] = -1;
}

void ft_rank_drain(struct ft_member *member)
{
    for (int stream = 0; stream < 2; stream++) {
        if (member->out[stream] >= 0 && !drain_pipe(member, stream))
            close_pipe(member, stream);
    }
}

static void watch_pipes(struct ft_run *run);

static void on_pipe(void *context, uint32_t events)
{
    struct ft_member *member = context;

    (void)events;
    ft_rank_drain(member);
    ft_output_watch(member->run);
}

static void on_idle(void *context)
{
    struct ft_run *run = context;

    if (ft_output_idle(run->output))
        ft_loop_after(run->loop, &run->idle, FT_OUTPUT_IDLE_MS / 1e3, on_idle, run);
}

static void on_reader(void *context, uint32_t events)
{
    struct ft_run *run = context;

    (void)events;
    ft_output_pump(run->output);
    for (int i = 0; i < 2; i++) {
        if (!ft_output_waits(run->output, i))
            ft_loop_forget(run->loop, run->output_fds[i]);
    }
    watch_pipes(run);
}

/* Ranks are read as long as the reader of ftrun's own output keeps up. */
static void watch_pipes(struct ft_run *run)
{
    int full = ft_output_is_full(run->output);

    for (int i = 0; i < 2 * run->size; i++) {
        struct ft_member *member = &run->members[i / 2];

        if (member->out[i % 2] < 0)
            continue;
        if (full)
            ft_loop_forget(run->loop, member->out[i % 2]);
        else
            ft_loop_watch(run->loop, member->out[i % 2], EPOLLIN, on_pipe, member);
    }
}

void ft_output_watch(struct ft_run *run)
{
    for (int i = 0; i < 2; i++) {
        if (ft_output_waits(run->output, i))
            ft_loop_watch(run->loop, run->output_fds[i], EPOLLOUT, on_reader, run);
    }
    if (ft_output_is_full(run->output))
        watch_pipes(run);
    if (!run->idle.armed)
        ft_loop_after(run->loop, &run->idle, FT_OUTPUT_IDLE_MS / 1e3, on_idle, run);
}

struct ends { /* the rank's and ftrun's ends of everything that connects them */
    int control[2], in[2], out[2], err[2];
};

static void close_ends(struct ends *ends)
{
    int *fds = &ends->control[0];

    for (size_t i = 0; i < sizeof(*ends) / sizeof(int); i++) {
        if (fds[i] >= 0)
            close(fds[i]);
    }
}

static int open_ends(const struct ft_member *member, struct ends *ends)
{
    memset(ends, -1, sizeof(*ends));
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends->control) ||
        pipe2(ends->out, O_CLOEXEC) || pipe2(ends->err, O_CLOEXEC))
        return -errno;
    if (member->rank == 0)
        return pipe2(ends->in, O_CLOEXEC) ? -errno : 0;
    ends->in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return ends->in[0] < 0 ? -errno : 0;
}

/* Keeps ftrun's ends and closes the rank's. */
static void keep_ends(struct ft_member *member, struct ends *ends)
{
    struct ft_run *run = member->run;

    member->control = ends->control[0];
    member->out[0] = ends->out[0];
    member->out[1] = ends->err[0];
    fcntl(member->out[0], F_SETFL, O_NONBLOCK);
    fcntl(member->out[1], F_SETFL, O_NONBLOCK);
    ft_loop_watch(run->loop, member->control, EPOLLIN, on_control, member);
    ft_loop_watch(run->loop, member->out[0], EPOLLIN, on_pipe, member);
    ft_loop_watch(run->loop, member->out[1], EPOLLIN, on_pipe, member);
    close(ends->control[1]);
    close(ends->out[1]);
    close(ends->err[1]);
    close(ends->in[0]);
    if (ends->in[1] >= 0) {
        fcntl(ends->in[1], F_SETFL, O_NONBLOCK);
        ft_input_attach(run->input, ends->in[1], run->input_position);
    }
}

static void begin_life(struct ft_member *member, pid_t pid)
{
    member->pid = member->group = pid;
    member->hello = member->told_pmi = member->inited = member->back = 0;
    member->finalizing = member->ended = member->code = 0;
    member->first_sign = 0;
    member->writer = 0;
    free(member->backtrace);
    member->backtrace = NULL;
}

/* Starts the process as it is, or by the zygote where the system forbids fixed addresses. */
static pid_t start_process(struct ft_run *run, const struct ft_spawn *spawn, int control, char *why,
                           size_t size)
{
    enum ft_spawn_step step = FT_SPAWN_FORK;
    pid_t pid = run->zygote ? 0 : ft_spawn_start(spawn, &step);
    int forbidden = pid < 0 && step == FT_SPAWN_PERSONALITY;

    if (forbidden && !run->options.restart) {
        int code = ft_zygote_start(spawn, &run->zygote, why, size);

        if (code)
            return code;
    }
    if (run->zygote) {
        pid = ft_zygote_fork(run->zygote, spawn, control);
        step = FT_SPAWN_FORK;
    }
    if (pid < 0)
        ft_spawn_explain(spawn, pid, step, why, size);
    return pid;
}

int ft_rank_start(struct ft_member *member, char *why, size_t size)
{
    struct ft_run *run = member->run;
    struct ends ends;
    int code = open_ends(member, &ends);

    if (code) {
        snprintf(why, size, "pipes of rank %d: %s", member->rank, strerror(-code));
        close_ends(&ends);
        return code;
    }
    struct ft_spawn spawn = {
        .path = run->program.path,
        .argv = run->program.argv,
        .envp = run->program.envp,
        .cwd = run->program.cwd,
        .fds = {ends.in[0], ends.out[1], ends.err[1], ends.control[1], member->recorder_fd},
        .stack_limit = run->program.stack_limit,
        .fixed_addresses = 1,
        .note = ft_shm_rank(run->shm, member->rank)};
    pid_t pid = start_process(run, &spawn, ends.control[0], why, size);
    if (pid < 0) {
        close_ends(&ends);
        return pid;
    }
    begin_life(member, pid);
    keep_ends(member, &ends);
    ft_events_emit(run->events, "start", "{s:i, s:i, s:s, s:i}", "rank", member->rank, "pid",
                   (int)pid, "node", run->node, "epoch", (int)run->epoch);
    return 0;
}

/* The launcher of the next epoch starts while old ranks are still dying, so its PMI may arrive
 * before they are closed: it is forgotten when its epoch ends, not when a rank does. */
void ft_rank_forget_pmi(struct ft_member *member)
{
    if (member->pmi_fd >= 0)
        close(member->pmi_fd);
    free(member->pmi);
    member->pmi = NULL;
    member->pmi_fd = -1;
}

void ft_rank_close(struct ft_member *member)
{
    ft_rank_drain(member);
    close_pipe(member, 0);
    close_pipe(member, 1);
    if (member->control >= 0) {
        ft_loop_forget(member->run->loop, member->control);
        close(member->control);
    }
    member->control = -1;
    if (member->rank == 0)
        ft_input_detach(member->run->input);
}

/* The rank's kill orders, in the order of the command line. */
static void fill_kills(const struct ft_member *member, struct ft_wire_boot *boot)
{
    const struct ft_options *options = &member->run->options;

    for (int i = 0; i < options->orders && boot->kills < FT_WIRE_KILLS; i++) {
        if (options->order[i].rank != member->rank)
            continue;
        boot->kill[boot->kills] = options->order[i].kill;
        boot->kill[boot->kills].fired = member->fired >> boot->kills & 1;
        boot->kills++;
    }
}

static void fill_role(const struct ft_member *member, struct ft_wire_boot *boot)
{
    struct ft_rehearsal_role role;

    ft_rehearse_role(member->run, member->rank, &role);
    _Static_assert(sizeof(role.trace) == sizeof(boot->trace), "a path");
    memcpy(boot->trace, role.trace, sizeof(boot->trace));
    boot->seed = role.seed;
    boot->begun = role.begun;
    boot->waiting = role.waiting;
    boot->progress = role.progress;
}

static void send_boot(struct ft_member *member)
{
    struct ft_run *run = member->run;
    static struct ft_wire_boot boot;

    memset(&boot, 0, sizeof(boot));
    boot.rank = member->rank;
    boot.size = run->size;
    boot.epoch = run->epoch;
    boot.restore = run->restored;
    boot.every = run->options.every;
    boot.hook_events = (uint32_t)run->options.hook_events;
    boot.recorder_fd = RECORDER;
    fill_kills(member, &boot);
    if (run->restored >= 0)
        ft_store_image(run->store, (uint32_t)run->restored, member->rank, 0, boot.image);
    strcpy(boot.undo, run->undo[member->rank]);
    if (run->rehearsal)
        fill_role(member, &boot);
    if (run->options.protocol == FT_PROTOCOL_SPBC)
        boot.clusters = run->clusters;
    ft_wire_send(member->control, FT_WIRE_BOOT, &boot, sizeof(boot), run->of,
                 boot.clusters ? (size_t)run->size * sizeof(*run->of) : 0, -1);
}

/* Passes the slot's PMI on as soon as both the slot and the rank are there. */
static void pass_pmi(struct ft_member *member)
{
    struct ft_wire_number count = {.value = member->pmi_count};

    if (!member->hello || member->pmi_fd < 0 || member->told_pmi ||
        member->run->state >= FT_RUN_CLEARING)
        return;
    member->told_pmi = 1;
    ft_wire_send(member->control, FT_WIRE_PMI, &count, sizeof(count), member->pmi,
                 member->pmi_length, member->pmi_fd);
    ft_rank_forget_pmi(member);
}

void ft_rank_pmi(void *context, int rank, const char *tail, size_t length, uint32_t count, int fd)
{
    struct ft_run *run = context;
    struct ft_member *member = &run->members[rank];

    ft_rank_forget_pmi(member);
    member->pmi = malloc(length);
    if (member->pmi)
        memcpy(member->pmi, tail, length);
    member->pmi_length = member->pmi ? length : 0;
    member->pmi_count = count;
    member->pmi_fd = fd;
    member->launcher_seconds = ft_loop_now() - ft_slots_launched(run->slots);
    pass_pmi(member);
}

void ft_rank_release(struct ft_member *member)
{
    ft_wire_send(member->control, FT_WIRE_RELEASE, NULL, 0, NULL, 0, -1);
}

/* Another build under the same name cannot take the images. */
static int is_other_build(struct ft_run *run, const struct ft_wire_hello *hello)
{
    if (run->build && run->build != hello->build) {
        ft_say("the store %s belongs to another build of %s; start without --restart, with a new "
               "--store",
               ft_store_path(run->store), run->program.path);
        ft_finish(run, FT_EXIT_USAGE);
        return 1;
    }
    run->build = hello->build;
    return 0;
}

static void on_hello(struct ft_member *member, const struct ft_wire_hello *hello)
{
    struct ft_run *run = member->run;

    if (hello->version != FT_WIRE_VERSION) {
        ft_say("rank %d: libft.so.0 speaks version %u, this ftrun %d: they are from different "
               "builds of ftcc",
               member->rank, hello->version, FT_WIRE_VERSION);
        ft_finish(run, FT_EXIT_USAGE);
        return;
    }
    if (is_other_build(run, hello))
        return;
    member->hello = 1;
    send_boot(member);
    pass_pmi(member);
}

static void on_restored(struct ft_member *member, const struct ft_wire_restored *restored)
{
    struct ft_run *run = member->run;
    double detection = member->first_sign > 0 ? run->died - member->first_sign : 0;

    ft_events_emit(run->events, "resume", "{s:i, s:i, s:i, s:I, s:i, s:f, s:f, s:f, s:f, s:f, s:f}",
                   "rank", member->rank, "pid", (int)member->pid, "checkpoint",
                   (int)restored->checkpoint, "hook", (json_int_t)restored->hooks, "epoch",
                   (int)run->epoch, "seconds", run->died > 0 ? ft_loop_now() - run->died : 0,
                   "detection", detection, "launcher", member->launcher_seconds, "init",
                   restored->library, "image", restored->image, "handles", restored->handles);
    ft_epoch_back(member);
}

static void on_inited(struct ft_member *member)
{
    struct ft_run *run = member->run;

    member->inited = 1;
    if (run->restored >= 0 || member->back)
        return;
    if (run->died > 0)
        ft_events_emit(run->events, "resume", "{s:i, s:i, s:i, s:i, s:i, s:f}", "rank",
                       member->rank, "pid", (int)member->pid, "checkpoint", -1, "hook", 0, "epoch",
                       (int)run->epoch, "seconds", ft_loop_now() - run->died);
    ft_epoch_back(member);
}

void ft_rank_finalize_all(struct ft_run *run)
{
    enum ft_checkpoint_state state = run->checkpoint.state;

    if (run->finalized || run->state >= FT_RUN_CLEARING || state == FT_CHECKPOINT_GATHERING ||
        state == FT_CHECKPOINT_FREEZING)
        return;
    for (int i = 0; i < run->size; i++) {
        if (!run->members[i].finalizing)
            return;
    }
    run->finalized = 1;
    for (int i = 0; i < run->size; i++)
        ft_wire_send(run->members[i].control, FT_WIRE_FINALIZE, NULL, 0, NULL, 0, -1);
}

static void keep_backtrace(struct ft_member *member, const char *text, size_t length)
{
    free(member->backtrace);
    member->backtrace = strndup(text, length);
}

/* REFUSED: "CALL\0reason" follows the address of the call. */
static void on_refused(struct ft_member *member, uint64_t site, const char *text, size_t length)
{
    const char *call = strndupa(text, length);
    size_t used = strlen(call) + 1;
    const char *reason = used < length ? strndupa(text + used, length - used) : "";

    ft_finish_refused(member, call, reason, site);
}

/* Messages whose payload is one number, with a text behind it. */
static void on_number(struct ft_member *member, uint32_t type, int64_t value, const char *text,
                      size_t length)
{
    if (type == FT_WIRE_HOOK)
        ft_events_emit(member->run->events, "hook", "{s:i, s:I, s:i}", "rank", member->rank, "hook",
                       (json_int_t)value, "epoch", (int)member->run->epoch);
    else if (type == FT_WIRE_ABORT)
        ft_finish_own(member->run, (int)value & 255);
    else if (type == FT_WIRE_REFUSED)
        on_refused(member, (uint64_t)value, text, length);
    else if (type == FT_WIRE_CRASH)
        keep_backtrace(member, text, length);
    else if (type == FT_WIRE_BAD_IMAGE)
        ft_recover_bad_image(member, strndupa(text, length));
}

/* Calls handler(member, payload) when the message is long enough for the payload. */
#define WITH(handler, type)                                                                        \
    do {                                                                                           \
        const type *payload = ft_wire_payload(buffer, sizeof(type));                               \
        if (payload)                                                                               \
            handler(member, payload);                                                              \
    } while (0)

/* SNAPSHOT: a reason may follow when no image was taken. */
static void on_snapshot(struct ft_member *member, const char *buffer, size_t length)
{
    const struct ft_wire_snapshot *snapshot = ft_wire_payload(buffer, sizeof(*snapshot));

    if (!snapshot)
        return;
    const char *text = (const char *)(snapshot + 1);
    ft_checkpoint_snapshot(member, snapshot, strndupa(text, (size_t)(buffer + length - text)));
}

static void on_message(struct ft_member *member, const char *buffer, size_t length)
{
    const struct ft_wire_head *head = (const void *)buffer;
    const struct ft_wire_number *number = ft_wire_payload(buffer, sizeof(*number));
    const char *text = (const char *)(number + 1);

    switch (head->type) {
    case FT_WIRE_HELLO:
        WITH(on_hello, struct ft_wire_hello);
        break;
    case FT_WIRE_GATE:
        WITH(ft_checkpoint_gate, struct ft_wire_gate);
        break;
    case FT_WIRE_REQUEST:
        ft_checkpoint_request(member);
        break;
    case FT_WIRE_SNAPSHOT:
        on_snapshot(member, buffer, length);
        break;
    case FT_WIRE_WRITTEN:
        WITH(ft_checkpoint_written, struct ft_wire_written);
        break;
    case FT_WIRE_RESTORED:
        WITH(on_restored, struct ft_wire_restored);
        break;
    case FT_WIRE_FINALIZING:
        member->finalizing = 1;
        ft_rank_finalize_all(member->run);
        break;
    case FT_WIRE_INITED:
        on_inited(member);
        break;
    default:
        if (number)
            on_number(member, head->type, number->value, text, (size_t)(buffer + length - text));
    }
}

void ft_rank_listen(struct ft_member *member)
{
    static char buffer[FT_WIRE_MAX] __attribute__((aligned(16)));

    while (member->control >= 0) {
        int fd;
        ssize_t length = ft_wire_receive(member->control, 0, buffer, &fd);

        if (fd >= 0)
            close(fd);
        if (length <= 0)
            return;
        if (member->run->state < FT_RUN_CLEARING)
            on_message(member, buffer, (size_t)length);
    }
}
