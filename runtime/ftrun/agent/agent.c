/* agent: from the invitation on standard input to the end.
 *
 * The engine that starts an agent (ssh, srun) passes on its standard input, where the
 * coordinator writes where to connect to and the secret, which so stands on no command line. The
 * end of the connection ends the agent, and with it all its ranks; so does silence of the
 * coordinator for two heartbeats (the lease): it may have given the ranks to another node. */
#include "agent/agent.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "console/say.h"
#include "host/memory.h"
#include "host/proc.h"
#include "host/ring.h"
#include "host/spawn.h"
#include "wire/wire.h"

enum { ADDRESSES = 16, LINE = 256, CONNECT_MS = 3000 };
#define BEAT_MOST 2.0 /* seconds */

struct invitation {
    unsigned char secret[FT_LINK_SECRET];
    char address[ADDRESSES][LINE];
    char port[LINE];
    int addresses, node, has_secret;
};

int ft_agent_build(uint64_t *build)
{
    XXH3_state_t *state = XXH3_createState();
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    char block[65536];
    ssize_t got = -1;

    if (state && fd >= 0) {
        XXH3_64bits_reset(state);
        while ((got = read(fd, block, sizeof(block))) > 0)
            XXH3_64bits_update(state, block, (size_t)got);
        *build = XXH3_64bits_digest(state);
    }
    if (fd >= 0)
        close(fd);
    XXH3_freeState(state);
    return got == 0 ? 0 : -EIO;
}

/* A line of standard input without reading beyond it. 0: there is none. */
static int read_line(char *line)
{
    size_t used = 0;

    while (used < LINE - 1 && read(STDIN_FILENO, line + used, 1) == 1 && line[used] != '\n')
        used++;
    line[used] = 0;
    return used > 0;
}

static void take_word(struct invitation *invitation, const char *word, const char *value)
{
    size_t length;

    if (!strcmp(word, "secret"))
        invitation->has_secret = !sodium_hex2bin(invitation->secret, FT_LINK_SECRET, value,
                                                 strlen(value), NULL, &length, NULL) &&
                                 length == FT_LINK_SECRET;
    else if (!strcmp(word, "node"))
        invitation->node = atoi(value);
    else if (!strcmp(word, "port"))
        strcpy(invitation->port, value);
    else if (!strcmp(word, "address") && invitation->addresses < ADDRESSES)
        strcpy(invitation->address[invitation->addresses++], value);
}

static int read_invitation(struct invitation *invitation)
{
    char line[LINE], *value;

    if (!read_line(line) || strcmp(line, FT_AGENT_GREETING) != 0)
        return -EPROTO;
    for (;;) {
        if (!read_line(line))
            return -EPROTO;
        if (!strcmp(line, "end"))
            break;
        if (!(value = strchr(line, ' ')))
            return -EPROTO;
        *value++ = 0;
        take_word(invitation, line, value);
    }
    sodium_memzero(line, sizeof(line));
    return invitation->has_secret ? 0 : -EPROTO;
}

/* A connection that is tried for a few seconds. The socket or -errno. */
static int connect_to(const struct addrinfo *address)
{
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
    struct pollfd poller = {.fd = fd, .events = POLLOUT};
    socklen_t size = sizeof(error);

    if (fd < 0)
        return -errno;
    if (connect(fd, address->ai_addr, address->ai_addrlen) && errno != EINPROGRESS)
        error = errno;
    else if (poll(&poller, 1, CONNECT_MS) != 1)
        error = ETIMEDOUT;
    else
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
    if (!error)
        return fd;
    close(fd);
    return -error;
}

static int connect_any(const struct invitation *invitation)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                             .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV};
    int fd = -EHOSTUNREACH;

    for (int i = 0; fd < 0 && i < invitation->addresses; i++) {
        struct addrinfo *found = NULL;

        if (!getaddrinfo(invitation->address[i], invitation->port, &hints, &found))
            fd = connect_to(found);
        if (found)
            freeaddrinfo(found);
    }
    return fd;
}

void ft_agent_tell(struct ft_agent *agent, enum ft_agent_type type,
                   const struct ft_agent_rank *rank, int64_t value, const void *body, size_t length)
{
    struct ft_agent_head head = {.type = type,
                                 .rank = rank ? rank->rank : -1,
                                 .life = rank ? rank->life : agent->epoch,
                                 .value = value};

    if (agent->link)
        ft_link_send(agent->link, &head, sizeof(head), body, length);
}

/* The end: nothing of the job stays on this node. */
static void end(struct ft_agent *agent, int code)
{
    agent->code = code;
    agent->done = 1;
}

/* The next string of a message, whose end is zero. NULL: there is none. */
static const char *next_string(const char **at, const char *last)
{
    const char *string = *at,
               *end = string < last ? memchr(string, 0, (size_t)(last - string)) : NULL;

    if (end)
        *at = end + 1;
    return end ? string : NULL;
}

static char **take_strings(const char **at, const char *last, int count)
{
    char **list = calloc((size_t)count + 1, sizeof(*list));

    for (int i = 0; list && i < count; i++) {
        const char *string = next_string(at, last);

        if (!string || !(list[i] = strdup(string)))
            return NULL;
    }
    return list;
}

/* Can the job run on this node? 0 or -errno with a sentence. */
static int check_node(struct ft_agent *agent, const char *folder, const char *token, char *why,
                      size_t size)
{
    const struct ft_program *program = &agent->program;
    int code;

    if (access(program->path, X_OK))
        return snprintf(why, size, "%s: %s", program->path, strerror(errno)), -ENOENT;
    if (program->starter && access(program->starter, X_OK))
        return snprintf(why, size, "%s: %s", program->starter, strerror(errno)), -ENOENT;
    if (ft_program_check(program->path, why, size))
        return -ENOEXEC;
    if (access(program->cwd, X_OK))
        return snprintf(why, size, "working directory %s: %s", program->cwd, strerror(errno)),
               -ENOENT;
    if (access(token, R_OK))
        return snprintf(why, size,
                        "%s is not seen there: the store has to lie on a file system that all "
                        "nodes share",
                        token),
               -ENOENT;
    code = ft_shm_create(agent->job.size, folder, NULL, NULL, &agent->shm);
    if (code)
        snprintf(why, size,
                 code == -EBUSY ? "%s is in use: another agent of this job runs on the same machine"
                                : "%s cannot be made there",
                 folder);
    return code;
}

static int take_job(struct ft_agent *agent, const struct ft_agent_job *job, size_t length,
                    char *why, size_t size)
{
    const char *at = (const char *)(job + 1), *last = (const char *)job + length;
    int code;

    agent->job = *job;
    const char *path = next_string(&at, last), *starter = next_string(&at, last),
               *cwd = next_string(&at, last);
    const char *folder = next_string(&at, last), *token = next_string(&at, last);
    const char *local = next_string(&at, last);
    agent->program.argv = local ? take_strings(&at, last, job->words) : NULL;
    agent->program.envp = agent->program.argv ? take_strings(&at, last, job->names) : NULL;
    agent->program.path = path ? strdup(path) : NULL;
    agent->program.starter = starter && *starter ? strdup(starter) : NULL;
    agent->program.cwd = cwd ? strdup(cwd) : NULL;
    agent->program.stack_limit = job->stack_limit;
    agent->starter.fixed = job->fixed;
    agent->starter.restart = job->restart;
    agent->ranks = calloc((size_t)job->size, sizeof(*agent->ranks));
    agent->topology = memfd_create("ftrun-topology", MFD_CLOEXEC);
    snprintf(why, size, "no memory");
    if (!agent->program.envp || !agent->program.path || !agent->program.cwd || !agent->ranks ||
        ft_pmi_create(agent->loop, job->size, &agent->pmi) || ft_ship_open(agent))
        return -ENOMEM;
    agent->stays = 1; /* where ftrun is lost --restart may want it */
    if (*local && (code = ft_local_open(agent, local, why, size)))
        return code;
    return check_node(agent, folder, token, why, size);
}

/* ftrun tells by it a rank that computes from one that waits outside of MPI. */
static void tell_used(struct ft_agent *agent)
{
    for (int i = 0; i < agent->job.size; i++) {
        struct ft_agent_rank *rank = agent->ranks[i];

        if (rank && rank->pid > 0)
            ft_agent_tell(agent, FT_AGENT_USED, rank, (int64_t)(ft_proc_used(rank->pid) * 1e6),
                          NULL, 0);
    }
}

/* The end of the lease. An agent that was stopped itself (with its machine, say) has heard nobody:
 * it listens for one more beat. The closed connection of a node that was given up meanwhile is
 * heard then. */
static int is_left_alone(struct ft_agent *agent, double beat)
{
    double now = ft_loop_now(), lease = 2 * agent->job.heartbeat;

    if (now - agent->heard <= lease)
        return 0;
    if (now - agent->beat.due <= beat)
        return 1;
    agent->heard = now - lease + beat / 2;
    return 0;
}

static void on_beat(void *context)
{
    struct ft_agent *agent = context;
    struct ft_agent_state state;
    struct ft_memory memory;
    double beat = agent->job.heartbeat / 5;

    if (beat > BEAT_MOST)
        beat = BEAT_MOST;
    if (is_left_alone(agent, beat)) {
        ft_say("node %d has heard nothing of ftrun for %.1f s: its ranks end", agent->node,
               ft_loop_now() - agent->heard);
        end(agent, 1);
        return;
    }
    ft_memory_look("", &memory);
    state.memory = memory.left;
    ft_agent_tell(agent, FT_AGENT_BEAT, NULL, 0, &state, sizeof(state));
    tell_used(agent);
    ft_loop_after(agent->loop, &agent->beat, beat, on_beat, agent);
}

static void on_look(void *context)
{
    struct ft_agent *agent = context;

    for (int i = 0; i < agent->job.size; i++) {
        if (agent->ranks[i] && agent->ranks[i]->pid > 0)
            ft_agent_mirror(agent->ranks[i]);
    }
    ft_loop_after(agent->loop, &agent->look, agent->look_seconds, on_look, agent);
}

static void on_clear(void *context)
{
    struct ft_agent *agent = context;

    ft_agent_reap(agent);
    if (agent->asked && ft_agent_quiet(agent)) {
        agent->asked = 0;
        ft_agent_tell(agent, FT_AGENT_QUIET, NULL, agent->question, NULL, 0);
    }
    if (ft_agent_clear(agent) || agent->asked)
        ft_loop_after(agent->loop, &agent->clear, 0.001, on_clear, agent);
}

static void on_job(struct ft_agent *agent, const struct ft_agent_job *job, size_t length)
{
    char why[4096] = "";
    int code = length < sizeof(*job) || agent->ranks
                   ? -EPROTO
                   : take_job(agent, job, length, why, sizeof(why));

    if (agent->local && !code)
        ft_local_ready(agent);
    else
        ft_agent_tell(agent, FT_AGENT_READY, NULL, code, why, code ? strlen(why) + 1 : 0);
    agent->look_seconds = 1;
    on_beat(agent);
    on_look(agent);
}

static void on_full(void *context, const char *puts, size_t length)
{
    ft_agent_tell(context, FT_AGENT_PMI, NULL, 0, puts, length);
}

static void on_epoch(struct ft_agent *agent, const struct ft_agent_head *head, const char *mapping,
                     size_t length)
{
    agent->epoch = head->life;
    ft_pmi_begin_part(agent->pmi, (int)head->value, length ? mapping : "", on_full, agent);
}

static void on_kill(struct ft_agent_rank *rank, int64_t pid)
{
    if (pid > 0)
        kill((pid_t)pid, SIGKILL);
    else
        rank->killing = 1;
    on_clear(rank->agent);
}

/* Handles a message about one rank. */
static void on_rank(struct ft_agent_rank *rank, const struct ft_agent_head *head, void *body,
                    size_t length)
{
    switch (head->type) {
    case FT_AGENT_WIRE:
        ft_agent_wire(rank, body, length);
        break;
    case FT_AGENT_LINES:
        ft_agent_lines(rank, (uint64_t)head->value, body, length);
        break;
    case FT_AGENT_KILL:
        on_kill(rank, head->value);
        break;
    case FT_AGENT_CALL:
        ft_call_look(&rank->call, rank->pid, rank->recorder, (enum ft_interrupt_why)head->value);
        break;
    case FT_AGENT_CUT:
        ft_call_end(rank->pid, rank->recorder);
        break;
    case FT_AGENT_INPUT:
        ft_agent_input(rank, body, length);
        break;
    case FT_AGENT_OUTCOMES:
        ft_ship_take(rank, ft_host_ring_at((uint64_t)head->value), body, length);
        break;
    case FT_AGENT_MARKS:
        if (rank->paired) {
            ft_paired_marks(rank, (uint64_t)head->value, body, length);
            break;
        }
        ft_ship_take(rank, ft_host_ring_mark((uint64_t)head->value), body, length);
        break;
    case FT_AGENT_MADE:
        ft_paired_made(rank, body, length);
        break;
    case FT_AGENT_SAVE:
        ft_agent_save(rank, body, length);
        break;
    case FT_AGENT_PAIR:
        ft_paired_take(rank, body, length);
        break;
    case FT_AGENT_SAFE:
        ft_ship_safe(rank, (uint64_t)head->value);
        break;
    case FT_AGENT_DROP:
        ft_agent_drop(rank, (uint64_t)head->value);
        break;
    case FT_AGENT_FORGET:
        if (rank->image_fd >= 0)
            close(rank->image_fd);
        rank->image_fd = -1;
        break;
    case FT_AGENT_FETCH:
        if (rank->agent->local)
            ft_local_fetch(rank, (uint32_t)head->value, body, length);
    }
}

static void on_node(struct ft_agent *agent, const struct ft_agent_head *head, void *body,
                    size_t length)
{
    switch (head->type) {
    case FT_AGENT_JOB:
        on_job(agent, body, length);
        break;
    case FT_AGENT_EPOCH:
        on_epoch(agent, head, body, length);
        break;
    case FT_AGENT_PMI:
        if (head->life == agent->epoch && ft_pmi_share(agent->pmi, body, length))
            end(agent, 1);
        break;
    case FT_AGENT_SWEEP:
        ft_shm_sweep(agent->shm);
        break;
    case FT_AGENT_PAUSE:
        agent->paused = (int)head->value;
        ft_agent_watch(agent);
        break;
    case FT_AGENT_LOOK:
        agent->look_seconds = (double)head->value / 1e3;
        on_look(agent);
        break;
    case FT_AGENT_ASK:
        agent->asked = 1;
        agent->question = head->value;
        on_clear(agent);
        break;
    case FT_AGENT_COPY:
        if (agent->local)
            ft_local_copy(agent, (uint32_t)head->value, body, length);
        break;
    case FT_AGENT_REMOVE:
        if (agent->local)
            ft_local_remove(agent, (uint32_t)head->value);
        break;
    case FT_AGENT_END:
        agent->stays = (int)head->value;
        end(agent, 0);
    }
}

static void on_heard(void *context, const void *message, size_t length)
{
    struct ft_agent *agent = context;
    const struct ft_agent_head *head = message;
    char *body = (char *)(uintptr_t)message + sizeof(*head);
    struct ft_agent_rank *rank;

    if (length < sizeof(*head))
        return;
    agent->heard = ft_loop_now();
    length -= sizeof(*head);
    if (head->type != FT_AGENT_JOB && !agent->ranks)
        return;
    if (head->rank < 0) {
        on_node(agent, head, body, length);
        return;
    }
    if (head->rank >= agent->job.size)
        return;
    if (head->type == FT_AGENT_START && length == sizeof(struct ft_agent_start))
        ft_agent_start(agent, head, (const void *)body);
    rank = agent->ranks[head->rank];
    if (rank && rank->life == head->life)
        on_rank(rank, head, body, length);
}

static void on_ended(void *context, const char *why)
{
    struct ft_agent *agent = context;

    ft_say("node %d has lost its connection to ftrun (%s): its ranks end", agent->node, why);
    end(agent, 1);
}

static void on_ready(void *context)
{
    struct ft_agent *agent = context;
    struct ft_agent_head head = {.type = FT_AGENT_HELLO, .rank = -1};
    struct ft_agent_hello hello = {.node = agent->node};

    const struct ft_link_calls calls = {.heard = on_heard, .ended = on_ended, .context = agent};

    ft_link_trust(agent->link, &calls);
    if (ft_agent_build(&hello.build))
        hello.build = 0;
    ft_link_send(agent->link, &head, sizeof(head), &hello, sizeof(hello));
}

static void on_signal(void *context, uint32_t events)
{
    struct ft_agent *agent = context;
    struct signalfd_siginfo info;

    (void)events;
    if (read(agent->signals, &info, sizeof(info)) != sizeof(info) || !agent->ranks)
        return;
    if (info.ssi_signo == SIGTERM) {
        ft_agent_tell(agent, FT_AGENT_STOP, NULL, 0, NULL, 0);
    } else {
        ft_agent_reap(agent);
        on_clear(agent);
    }
}

/* Signals come to all processes of a batch job. SIGTERM says that it is about to end; for the
 * others the coordinator is there. */
static int watch_signals(struct ft_agent *agent)
{
    static const int ignored[] = {SIGPIPE, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
    sigset_t set;

    for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    sigaddset(&set, SIGTERM);
    sigprocmask(SIG_BLOCK, &set, NULL);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    agent->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    return agent->signals < 0
               ? -errno
               : ft_loop_watch(agent->loop, agent->signals, EPOLLIN, on_signal, agent);
}

/* Kills all, and waits for it. */
static void clean_up(struct ft_agent *agent)
{
    double until = ft_loop_now() + 2;

    for (int i = 0; agent->ranks && i < agent->job.size; i++) {
        if (agent->ranks[i])
            agent->ranks[i]->killing = 1;
    }
    ft_zygote_destroy(agent->starter.zygote);
    agent->starter.zygote = NULL;
    while (agent->ranks && ft_agent_clear(agent) && ft_loop_now() < until) {
        usleep(500);
        ft_agent_reap(agent);
    }
    if (agent->shm)
        ft_shm_sweep(agent->shm);
    ft_shm_destroy(agent->shm);
    ft_local_close(agent, agent->stays);
    ft_link_destroy(agent->link);
    sodium_memzero(agent->secret, sizeof(agent->secret));
}

static int begin(struct ft_agent *agent)
{
    static struct invitation invitation;
    socklen_t size = sizeof(agent->own);
    int fd, code;

    if (sodium_init() < 0 || read_invitation(&invitation))
        return ft_say_and(2,
                          "--agent is how ftrun starts itself on other nodes; it is not for users");
    agent->node = invitation.node;
    fd = connect_any(&invitation);
    if (fd < 0)
        return ft_say_and(
            1,
            "node %d cannot connect to ftrun (%s, ... port %s): %s: does a firewall stand between?",
            agent->node, invitation.address[0], invitation.port, strerror(-fd));
    const struct ft_link_calls calls = {
        .ready = on_ready, .heard = on_heard, .ended = on_ended, .context = agent};
    memcpy(agent->secret, invitation.secret, sizeof(agent->secret));
    code = getsockname(fd, (struct sockaddr *)&agent->own, &size) ? -errno : watch_signals(agent);
    if (!code)
        code = ft_link_create(agent->loop, fd, invitation.secret, 0, &calls, &agent->link);
    sodium_memzero(&invitation, sizeof(invitation));
    return code ? ft_say_and(1, "node %d: %s", agent->node, strerror(-code)) : 0;
}

int ft_agent_main(void)
{
    static struct ft_agent agent = {.topology = -1, .signals = -1};
    int code = ft_loop_create(&agent.loop);

    if (code)
        return ft_say_and(1, "epoll: %s", strerror(-code));
    agent.heard = ft_loop_now();
    code = begin(&agent);
    if (!code) {
        ft_loop_run(agent.loop, &agent.done);
        code = agent.code;
    }
    clean_up(&agent);
    ft_loop_destroy(agent.loop);
    return code;
}
