/* ranks: what the agent does for one rank's process.
 *
 * Invariant: a message of the rank is passed on behind all that the rank had printed and counted
 * before it, as where ftrun reads the pipes and the recorder itself. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/shared.h"
#include "agent/agent.h"
#include "host/proc.h"
#include "host/ring.h"
#include "host/spawn.h"
#include "wire/wire.h"

enum { OWN_LINE = 2 }; /* of the recorder: the coordinator's */

_Static_assert(offsetof(struct ft_recorder, order) == OWN_LINE * FT_AGENT_LINE,
               "the coordinator's line");

/* Word by word, in rising order: a word of the rank is whole, and not older than those before it.
 */
static void copy_line(char *to, const char *from)
{
    for (size_t i = 0; i < FT_AGENT_LINE; i += sizeof(uint64_t))
        __atomic_store_n(
            (uint64_t *)(void *)(to + i),
            __atomic_load_n((const uint64_t *)(const void *)(from + i), __ATOMIC_ACQUIRE),
            __ATOMIC_RELEASE);
}

void ft_agent_mirror(struct ft_agent_rank *rank)
{
    ft_ship_all(rank->agent);
    char lines[FT_RECORDER_BYTES] __attribute__((aligned(8)));
    const char *page = (const char *)rank->recorder;
    uint64_t which = 0;
    size_t used = 0;

    for (int i = 0; i < FT_AGENT_LINES_MAX; i++) {
        char *line = lines + used, *known = rank->shadow + i * FT_AGENT_LINE;

        if (i == OWN_LINE)
            continue;
        copy_line(line, page + i * FT_AGENT_LINE);
        if (!memcmp(line, known, FT_AGENT_LINE))
            continue;
        memcpy(known, line, FT_AGENT_LINE);
        which |= 1ULL << i;
        used += FT_AGENT_LINE;
    }
    if (which)
        ft_agent_tell(rank->agent, FT_AGENT_LINES, rank, (int64_t)which, lines, used);
}

void ft_agent_lines(struct ft_agent_rank *rank, uint64_t which, const char *lines, size_t length)
{
    if (which != 1ULL << OWN_LINE || length != FT_AGENT_LINE)
        return;
    copy_line((char *)rank->recorder + OWN_LINE * FT_AGENT_LINE, lines);
}

/* Passes on what one pipe holds now. Returns 0 when it has ended. */
static int drain_pipe(struct ft_agent_rank *rank, int stream)
{
    static char block[65536];
    ssize_t got;

    do {
        got = read(rank->out[stream], block, sizeof(block));
        if (got > 0) {
            ft_agent_mirror(rank);
            ft_agent_tell(rank->agent, FT_AGENT_OUTPUT, rank, stream, block, (size_t)got);
        }
    } while (got == sizeof(block));
    return got > 0 || (got < 0 && errno != EIO);
}

static void close_fd(struct ft_agent_rank *rank, int *fd)
{
    if (*fd < 0)
        return;
    ft_loop_forget(rank->agent->loop, *fd);
    close(*fd);
    *fd = -1;
}

static void drain(struct ft_agent_rank *rank)
{
    for (int stream = 0; stream < 2; stream++) {
        if (rank->out[stream] >= 0 && !drain_pipe(rank, stream))
            close_fd(rank, &rank->out[stream]);
    }
}

static void on_pipe(void *context, uint32_t events)
{
    (void)events;
    drain(context);
}

static void watch_pipes(struct ft_agent_rank *rank)
{
    for (int i = 0; i < 2; i++) {
        if (rank->out[i] < 0)
            continue;
        if (rank->agent->paused)
            ft_loop_forget(rank->agent->loop, rank->out[i]);
        else
            ft_loop_watch(rank->agent->loop, rank->out[i], EPOLLIN, on_pipe, rank);
    }
}

void ft_agent_watch(struct ft_agent *agent)
{
    for (int i = 0; i < agent->job.size; i++) {
        if (agent->ranks[i])
            watch_pipes(agent->ranks[i]);
    }
}

static void on_input(void *context, uint32_t events);

static void pump_input(struct ft_agent_rank *rank)
{
    size_t before = rank->input_from;

    while (!rank->held && rank->in >= 0 && rank->input_from < rank->input_to) {
        ssize_t done =
            write(rank->in, rank->input + rank->input_from, rank->input_to - rank->input_from);

        if (done <= 0)
            break;
        rank->input_from += (size_t)done;
    }
    if (rank->input_from > before)
        ft_agent_tell(rank->agent, FT_AGENT_TAKEN, rank, (int64_t)(rank->input_from - before), NULL,
                      0);
    if (rank->in < 0)
        return;
    if (rank->input_from == rank->input_to && rank->input_ends)
        close_fd(rank, &rank->in);
    else if (rank->input_from < rank->input_to && !rank->held)
        ft_loop_watch(rank->agent->loop, rank->in, EPOLLOUT, on_input, rank);
    else
        ft_loop_forget(rank->agent->loop, rank->in);
}

static void on_input(void *context, uint32_t events)
{
    (void)events;
    pump_input(context);
}

void ft_agent_input(struct ft_agent_rank *rank, const void *data, size_t length)
{
    size_t left = rank->input_to - rank->input_from;
    char *input = length ? malloc(left + length) : NULL;

    if (!length)
        rank->input_ends = 1;
    if (input) {
        if (left)
            memcpy(input, rank->input + rank->input_from, left);
        memcpy(input + left, data, length);
        free(rank->input);
        rank->input = input;
        rank->input_from = 0;
        rank->input_to = left + length;
    }
    pump_input(rank);
}

/* An image was taken, or was not: what the agent still has of standard input is not consumed
 * either. */
static void release_input(struct ft_agent_rank *rank, uint64_t *left)
{
    *left += rank->input_to - rank->input_from;
    rank->held = 0;
    pump_input(rank);
}

/* A message of the rank, on its way to the coordinator. */
static void pass_on(struct ft_agent_rank *rank, char *buffer, size_t length, int *fd)
{
    const struct ft_wire_head *head = (const void *)buffer;
    void *payload = buffer + sizeof(*head);

    if (head->type == FT_WIRE_SHIP) {
        ft_ship_all(rank->agent);
        return;
    }
    if (head->type == FT_WIRE_SNAPSHOT && head->length >= sizeof(struct ft_wire_snapshot))
        release_input(rank, &((struct ft_wire_snapshot *)payload)->stdin_left);
    if (head->type == FT_WIRE_LEFT && head->length >= sizeof(struct ft_wire_left)) {
        struct ft_wire_left *left = payload;

        release_input(rank, &left->stdin_left);
        if (*fd < 0 && !left->error)
            left->error = EMFILE;
        if (rank->image_fd >= 0)
            close(rank->image_fd);
        rank->image_fd = *fd;
        *fd = -1;
    }
    drain(rank);
    ft_agent_mirror(rank);
    ft_agent_tell(rank->agent, FT_AGENT_WIRE, rank, 0, buffer, length);
}

static void listen_to(struct ft_agent_rank *rank)
{
    static char buffer[FT_WIRE_MAX] __attribute__((aligned(16)));

    while (rank->control >= 0) {
        int fd;
        ssize_t length = ft_wire_receive(rank->control, 0, buffer, &fd);

        if (length > 0)
            pass_on(rank, buffer, (size_t)length, &fd);
        if (fd >= 0)
            close(fd);
        if (length <= 0)
            return;
    }
}

static void on_control(void *context, uint32_t events)
{
    struct ft_agent_rank *rank = context;

    listen_to(rank);
    if (events & (EPOLLHUP | EPOLLERR) && rank->control >= 0)
        ft_loop_forget(rank->agent->loop, rank->control);
}

static void close_all(struct ft_agent_rank *rank)
{
    close_fd(rank, &rank->control);
    close_fd(rank, &rank->out[0]);
    close_fd(rank, &rank->out[1]);
    close_fd(rank, &rank->in);
    free(rank->input);
    rank->input = NULL;
    rank->input_from = rank->input_to = 0;
    rank->held = rank->input_ends = 0;
}

/* The recorder of a rank that is new here; its page is the coordinator's. 0 or -errno. */
static int make_recorder(struct ft_agent_rank *rank)
{
    int code;

    rank->recorder =
        ft_shared_create("ftrun-recorder", FT_RECORDER_BYTES + (size_t)rank->agent->job.ring,
                         FT_RECORDER_BYTES, &rank->recorder_fd);
    if (!rank->recorder)
        return -errno;
    code = ft_paired_rank(rank);
    return code ? code : ft_ship_rank(rank);
}

/* The rank, which may be new here. NULL: no memory or descriptor. */
static struct ft_agent_rank *rank_of(struct ft_agent *agent, int number)
{
    struct ft_agent_rank *rank = agent->ranks[number];

    if (rank)
        return rank;
    rank = calloc(1, sizeof(*rank));
    if (!rank)
        return NULL;
    rank->agent = agent;
    rank->rank = number;
    rank->control = rank->out[0] = rank->out[1] = rank->in = rank->image_fd = -1;
    if (make_recorder(rank)) {
        free(rank);
        return NULL;
    }
    agent->ranks[number] = rank;
    return rank;
}

/* Keeps the agent's ends and closes the rank's. */
static void keep_ends(struct ft_agent_rank *rank, struct ft_ends *ends)
{
    rank->control = ends->control[0];
    rank->out[0] = ends->out[0];
    rank->out[1] = ends->err[0];
    rank->in = ends->in[1];
    ends->control[0] = ends->out[0] = ends->err[0] = ends->in[1] = -1;
    ft_ends_close(ends);
    ft_loop_watch(rank->agent->loop, rank->control, EPOLLIN, on_control, rank);
    for (int i = 0; i < 2; i++)
        fcntl(rank->out[i], F_SETFL, O_NONBLOCK);
    watch_pipes(rank);
    if (rank->in >= 0)
        fcntl(rank->in, F_SETFL, O_NONBLOCK);
}

static pid_t start_process(struct ft_agent_rank *rank, int input, char *why, size_t size)
{
    struct ft_agent *agent = rank->agent;
    struct ft_ends ends;
    int code = ft_ends_open(&ends, input);

    if (code) {
        snprintf(why, size, "pipes of rank %d: %s", rank->rank, strerror(-code));
        return code;
    }
    pid_t pid = ft_starter_start(&agent->starter, &agent->program, rank->rank, &ends,
                                 rank->recorder_fd, ft_shm_rank(agent->shm, rank->rank), why, size);
    if (pid < 0)
        ft_ends_close(&ends);
    else
        keep_ends(rank, &ends);
    return pid;
}

void ft_agent_start(struct ft_agent *agent, const struct ft_agent_head *head,
                    const struct ft_agent_start *start)
{
    struct ft_agent_rank *rank = rank_of(agent, head->rank);
    char why[4096] = "no memory or descriptors for another rank";
    pid_t pid = -ENOMEM;

    if (rank) {
        close_all(rank);
        ft_local_forget(rank);
        rank->life = head->life;
        rank->local = start->local;
        rank->continued = rank->killing = 0;
        memcpy(rank->recorder, start->page, FT_RECORDER_BYTES);
        memcpy(rank->shadow, start->page, FT_RECORDER_BYTES);
        ft_paired_begin(rank, &start->pair);
        ft_ship_begin(rank);
        pid = start_process(rank, start->input, why, sizeof(why));
        rank->pid = rank->group = pid > 0 ? pid : 0;
        ft_agent_tell(agent, FT_AGENT_STARTED, rank, pid, why, pid > 0 ? 0 : strlen(why) + 1);
        return;
    }
    struct ft_agent_rank lacking = {.rank = head->rank, .life = head->life};
    ft_agent_tell(agent, FT_AGENT_STARTED, &lacking, pid, why, strlen(why) + 1);
}

/* Completes BOOT with the facts of this node. */
static int complete_boot(struct ft_agent_rank *rank, struct ft_wire_boot *boot)
{
    snprintf(boot->topology, sizeof(boot->topology), "/proc/%d/fd/%d", (int)getpid(),
             rank->agent->topology);
    ft_ship_boot(rank, boot);
    ft_paired_boot(rank, boot);
    if (boot->survivor && !*boot->image) /* else it is one of the store, of the other copy */
        snprintf(boot->image, sizeof(boot->image), "/proc/%d/fd/%d", (int)getpid(), rank->image_fd);
    return rank->continued ? rank->recorder_fd : -1;
}

/* The rank's connection of PMI. */
static void send_pmi(struct ft_agent_rank *rank)
{
    struct ft_pmi *pmi = rank->agent->pmi;
    char text[FT_PMI_VARIABLES];
    struct ft_wire_number count = {0};
    unsigned variables;
    size_t length = ft_pmi_variables(pmi, rank->rank, rank->local, text, &variables);
    int fd = ft_pmi_open(pmi, rank->rank);

    if (fd < 0)
        return; /* the rank ends with the epoch */
    count.value = variables;
    ft_wire_send(rank->control, FT_WIRE_PMI, &count, sizeof(count), text, length, fd);
    close(fd);
}

void ft_agent_wire(struct ft_agent_rank *rank, void *message, size_t length)
{
    struct ft_wire_head *head = message;
    char *payload = (char *)message + sizeof(*head);
    int fd = -1;

    if (length < sizeof(*head) || head->length != length - sizeof(*head) || rank->control < 0 ||
        ft_local_holds(rank, message, length))
        return;
    if (head->type == FT_WIRE_PMI) {
        send_pmi(rank);
        return;
    }
    if (head->type == FT_WIRE_BOOT && head->length >= sizeof(struct ft_wire_boot))
        fd = complete_boot(rank, (struct ft_wire_boot *)(void *)payload);
    if (head->type == FT_WIRE_FREEZE || head->type == FT_WIRE_LEAVE)
        rank->held = 1;
    if (head->type == FT_WIRE_FREEZE && rank->agent->local)
        ft_local_expect(rank, (const void *)payload);
    if (head->type == FT_WIRE_EXEC) {
        rank->continued = 1;
        rank->recorder->starting = 0;
    }
    ft_wire_send(rank->control, head->type, payload, head->length, NULL, 0, fd);
}

/* In a child: copies all of the file to a new one. 0 or an exit code. */
static int copy_to(int from, const char *path)
{
    struct stat status;
    off_t at = 0;
    int to;

    unlink(path); /* a process may be reading an older one */
    to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (to < 0 || fstat(from, &status))
        return 1;
    while (at < status.st_size) {
        if (sendfile(to, from, &at, (size_t)(status.st_size - at)) <= 0)
            return 1;
    }
    return close(to) != 0;
}

void ft_agent_save(struct ft_agent_rank *rank, const char *path, size_t length)
{
    pid_t child = -EINVAL;

    if (length && !path[length - 1] && rank->image_fd >= 0 && !rank->saver)
        child = ft_spawn_helper_with(rank->image_fd, rank->image_fd);
    if (child == 0)
        _exit(copy_to(rank->image_fd, path));
    if (child > 0)
        rank->saver = child;
    else
        ft_agent_tell(rank->agent, FT_AGENT_SAVED, rank, child, NULL, 0);
}

/* 1: the child was one that copies an image. */
static int saver_reaped(struct ft_agent *agent, pid_t pid, int status)
{
    for (int i = 0; i < agent->job.size; i++) {
        struct ft_agent_rank *rank = agent->ranks[i];

        if (!rank || rank->saver != pid)
            continue;
        rank->saver = 0;
        ft_agent_tell(agent, FT_AGENT_SAVED, rank, status, NULL, 0);
        return 1;
    }
    return 0;
}

static struct ft_agent_rank *rank_with(struct ft_agent *agent, pid_t pid)
{
    for (int i = 0; i < agent->job.size; i++) {
        if (agent->ranks[i] && agent->ranks[i]->pid == pid)
            return agent->ranks[i];
    }
    return NULL;
}

/* Is somebody left in the group? If not the coordinator hears of it once. */
static int is_left(struct ft_agent_rank *rank)
{
    if (rank->group <= 0)
        return 0;
    if (rank->pid > 0 || !kill(-rank->group, 0))
        return 1;
    rank->group = rank->killing = 0;
    ft_shm_forget(rank->agent->shm, rank->rank);
    ft_agent_tell(rank->agent, FT_AGENT_GONE, rank, 0, NULL, 0);
    return 0;
}

static void reaped(struct ft_agent_rank *rank, int status)
{
    listen_to(rank);
    drain(rank);
    ft_ship_end(rank);
    ft_agent_mirror(rank);
    rank->pid = 0;
    ft_agent_tell(rank->agent, FT_AGENT_EXITED, rank, status, NULL, 0);
    is_left(rank);
}

void ft_agent_reap(struct ft_agent *agent)
{
    int32_t status;
    pid_t pid;

    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        struct ft_agent_rank *rank = rank_with(agent, pid);

        if (ft_zygote_reaped(agent->starter.zygote, pid) || ft_local_reaped(agent, pid, status) ||
            saver_reaped(agent, pid, status))
            continue;
        if (rank) {
            reaped(rank, status);
            continue;
        }
        for (int i = 0; i < agent->job.size; i++) { /* a writer: what it has said comes first */
            if (agent->ranks[i])
                listen_to(agent->ranks[i]);
        }
        ft_agent_tell(agent, FT_AGENT_CHILD, NULL, pid, &status, sizeof(status));
    }
}

int ft_agent_clear(struct ft_agent *agent)
{
    int left = 0;

    for (int i = 0; i < agent->job.size; i++) {
        struct ft_agent_rank *rank = agent->ranks[i];

        if (!rank || !is_left(rank) || !rank->killing)
            continue;
        kill(-rank->group, SIGKILL);
        left++;
    }
    return left;
}

int ft_agent_quiet(const struct ft_agent *agent)
{
    for (int i = 0; i < agent->job.size; i++) {
        if (agent->ranks[i] && ft_proc_is_ending(agent->ranks[i]->pid))
            return 0;
    }
    return 1;
}

void ft_agent_drop(struct ft_agent_rank *rank, uint64_t before)
{
    if (rank->paired)
        ft_paired_drop(rank, before);
    else
        ft_host_ring_drop(rank->recorder_fd, &rank->recorder->determinants_kept, before);
}
