/* node: see node.h.
 *
 * The engine gets the invitation on its standard input: addresses, port, secret, number. A peer
 * that connects is a stranger until a first message was unsealed that names a node which is
 * expected. */
#include "agent/node.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <limits.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utlist.h>
#include "host/link.h"
#include "host/spawn.h"

enum { STRANGERS = 64, TEXT = 8192 };

static const double stranger_patience = 5; /* until its first message */
static const double start_patience = 60;   /* until all agents have taken the job */
static const double margin = 0.1;          /* of a heartbeat, behind a lease */
static const double farewell = 2;          /* until engines have ended */

struct ft_stranger {
    struct ft_nodes *nodes;
    struct ft_link *link;
    char from[INET6_ADDRSTRLEN + 8];
    struct ft_timer timer;
    struct ft_stranger *prev, *next;
};

static void say_refused(struct ft_stranger *stranger, const char *why)
{
    stranger->nodes->calls.say("a connection from %s is refused: %s", stranger->from, why);
}

static void forget_stranger(struct ft_stranger *stranger, int keep)
{
    struct ft_nodes *nodes = stranger->nodes;

    ft_loop_cancel(nodes->loop, &stranger->timer);
    DL_DELETE(nodes->strangers, stranger);
    nodes->stranger_count--;
    if (!keep)
        ft_link_destroy(stranger->link);
    free(stranger);
}

static void fail(struct ft_nodes *nodes, const char *format, const char *a, const char *b)
{
    char text[TEXT];

    if (nodes->over)
        return;
    snprintf(text, sizeof(text), format, a, b);
    nodes->over = 1;
    nodes->calls.failed(nodes->calls.context, text);
}

/* All processes of the node are dead. */
static void lose(struct ft_node *node)
{
    struct ft_nodes *nodes = node->nodes;

    ft_loop_cancel(nodes->loop, &node->verdict);
    if (node->lost)
        return;
    node->lost = 1;
    if (nodes->ready < nodes->count)
        fail(nodes, "node %s: its agent has ended: %s", node->name, node->why ? node->why : "");
    else if (!nodes->over)
        nodes->calls.lost(nodes->calls.context, node,
                          node->why ? node->why : "its agent has ended");
}

static void on_verdict(void *context)
{
    lose(context);
}

/* Nothing goes to the node any more. Its ranks end when its lease has passed; if the engine says
 * that the agent has ended they are dead. */
static void cut(struct ft_node *node, const char *why)
{
    double lease = (1 + margin) * node->nodes->heartbeat;

    if (node->silent > 0)
        return;
    node->silent = ft_loop_now();
    node->why = strdup(why);
    ft_link_destroy(node->link);
    node->link = NULL;
    if (!node->engine)
        lease = 0.01; /* the kernel ends the ranks with their agent */
    ft_loop_after(node->nodes->loop, &node->verdict, lease, on_verdict, node);
}

static void on_node_ended(void *context, const char *why)
{
    struct ft_node *node = context;

    cut(node, why);
}

static void take_ready(struct ft_node *node, const struct ft_agent_head *head, const char *why,
                       size_t length)
{
    struct ft_nodes *nodes = node->nodes;

    if (head->value) {
        fail(nodes, "node %s: %s", node->name,
             length && !why[length - 1] ? why : "its agent has failed");
        return;
    }
    if (length) /* what is there of an earlier run */
        nodes->calls.heard(nodes->calls.context, node, head, why, length);
    if (node->ready++)
        return;
    if (++nodes->ready < nodes->count)
        return;
    ft_loop_cancel(nodes->loop, &nodes->patience);
    nodes->calls.ready(nodes->calls.context);
}

static void on_node_heard(void *context, const void *message, size_t length)
{
    struct ft_node *node = context;
    const struct ft_agent_head *head = message;
    const void *body = head + 1;

    if (length < sizeof(*head) || node->nodes->over)
        return;
    node->heard = ft_loop_now();
    length -= sizeof(*head);
    if (head->type == FT_AGENT_BEAT && length == sizeof(struct ft_agent_state))
        node->memory = ((const struct ft_agent_state *)body)->memory;
    else if (head->type == FT_AGENT_READY)
        take_ready(node, head, body, length);
    else
        node->nodes->calls.heard(node->nodes->calls.context, node, head, body, length);
}

/* Why the stranger is none of the agents, or NULL and the node. */
static const char *recognise(struct ft_nodes *nodes, const void *message, size_t length,
                             struct ft_node **node)
{
    const struct ft_agent_head *head = message;
    const struct ft_agent_hello *hello = (const void *)(head + 1);

    if (length != sizeof(*head) + sizeof(*hello) || head->type != FT_AGENT_HELLO)
        return "its first message is none of an agent";
    if (hello->build != nodes->build)
        return "it is another build of ftrun";
    if (hello->node < 0 || hello->node >= nodes->count)
        return "it is none of the nodes";
    *node = &nodes->node[hello->node];
    return (*node)->link || (*node)->silent > 0 ? "that node is connected, or was" : NULL;
}

static void on_stranger_heard(void *context, const void *message, size_t length)
{
    struct ft_stranger *stranger = context;
    struct ft_nodes *nodes = stranger->nodes;
    struct ft_node *node = NULL;
    const char *why = recognise(nodes, message, length, &node);

    if (why) {
        say_refused(stranger, why);
        if (node && !node->link && node->silent <= 0)
            fail(nodes, "node %s: %s", node->name, why);
        forget_stranger(stranger, 0);
        return;
    }
    const struct ft_link_calls calls = {
        .heard = on_node_heard, .ended = on_node_ended, .context = node};
    node->link = stranger->link;
    node->heard = ft_loop_now();
    ft_link_trust(node->link, &calls);
    forget_stranger(stranger, 1);
    ft_node_tell(node, FT_AGENT_JOB, -1, 0, 0, nodes->job, nodes->job_length);
}

static void on_stranger_ended(void *context, const char *why)
{
    struct ft_stranger *stranger = context;

    say_refused(stranger, why);
    forget_stranger(stranger, 0);
}

static void on_stranger_ready(void *context)
{
    (void)context; /* the agent speaks first */
}

static void on_stranger_late(void *context)
{
    on_stranger_ended(context, "it said nothing");
}

static void meet(struct ft_nodes *nodes, int fd, const struct sockaddr *address, socklen_t size)
{
    struct ft_stranger *stranger =
        nodes->stranger_count < STRANGERS ? calloc(1, sizeof(*stranger)) : NULL;
    const struct ft_link_calls calls = {.ready = on_stranger_ready,
                                        .heard = on_stranger_heard,
                                        .ended = on_stranger_ended,
                                        .context = stranger};

    if (!stranger) {
        close(fd);
        return;
    }
    stranger->nodes = nodes;
    getnameinfo(address, size, stranger->from, sizeof(stranger->from), NULL, 0, NI_NUMERICHOST);
    if (ft_link_create(nodes->loop, fd, nodes->secret, 1, &calls, &stranger->link)) {
        free(stranger);
        return;
    }
    DL_APPEND(nodes->strangers, stranger);
    nodes->stranger_count++;
    ft_loop_after(nodes->loop, &stranger->timer, stranger_patience, on_stranger_late, stranger);
}

static void on_listener(void *context, uint32_t events)
{
    struct ft_nodes *nodes = context;
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);
    int fd =
        accept4(nodes->listener, (struct sockaddr *)&address, &size, SOCK_CLOEXEC | SOCK_NONBLOCK);

    (void)events;
    if (fd >= 0)
        meet(nodes, fd, (struct sockaddr *)&address, size);
}

static int listen_on(struct ft_nodes *nodes)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_addr = in6addr_any};
    struct sockaddr_in four = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_ANY)};
    struct sockaddr_storage bound;
    socklen_t size = sizeof(bound);
    int off = 0, fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    if (fd >= 0 && (setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) ||
                    bind(fd, (struct sockaddr *)&six, sizeof(six)))) {
        close(fd);
        fd = -1;
    }
    if (fd < 0) {
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        if (fd >= 0 && bind(fd, (struct sockaddr *)&four, sizeof(four))) {
            close(fd);
            fd = -1;
        }
    }
    if (fd < 0 || listen(fd, 1024) || getsockname(fd, (struct sockaddr *)&bound, &size))
        return -errno;
    nodes->listener = fd;
    nodes->port = ntohs(bound.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&bound)->sin6_port
                                                    : ((struct sockaddr_in *)&bound)->sin_port);
    return ft_loop_watch(nodes->loop, fd, EPOLLIN, on_listener, nodes);
}

int ft_nodes_create(struct ft_loop *loop, const struct ft_nodes_options *options,
                    const struct ft_nodes_calls *calls, struct ft_nodes **out)
{
    struct ft_nodes *nodes =
        calloc(1, sizeof(*nodes) + (size_t)options->hosts->count * sizeof(nodes->node[0]));
    int code = !nodes ? -ENOMEM : sodium_init() < 0 ? -ENOSYS : 0;

    if (code)
        return code;
    nodes->loop = loop;
    nodes->calls = *calls;
    nodes->launcher = options->launcher;
    nodes->heartbeat = options->heartbeat;
    nodes->listener = -1;
    nodes->count = options->hosts->count;
    randombytes_buf(nodes->secret, sizeof(nodes->secret));
    for (int i = 0; i < nodes->count; i++)
        nodes->node[i] = (struct ft_node){.nodes = nodes,
                                          .name = options->hosts->host[i].name,
                                          .number = i,
                                          .slots = options->hosts->host[i].slots,
                                          .memory = UINT64_MAX};
    if (!(code = ft_agent_build(&nodes->build)))
        code = listen_on(nodes);
    if (code)
        ft_nodes_destroy(nodes);
    else
        *out = nodes;
    return code;
}

/* Addresses of this machine, one a line; its own loopback, for an agent on the same machine, comes
 * last. */
static void print_addresses(FILE *out)
{
    char text[INET6_ADDRSTRLEN];
    struct ifaddrs *list = NULL;

    if (getifaddrs(&list))
        list = NULL;
    for (int loopback = 0; loopback < 2; loopback++) {
        for (struct ifaddrs *at = list; at; at = at->ifa_next) {
            int family = at->ifa_addr ? at->ifa_addr->sa_family : 0;
            size_t size =
                family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);

            if (!(at->ifa_flags & IFF_UP) || !(at->ifa_flags & IFF_LOOPBACK) != !loopback ||
                (family != AF_INET && family != AF_INET6) ||
                (family == AF_INET6 &&
                 IN6_IS_ADDR_LINKLOCAL(&((struct sockaddr_in6 *)(void *)at->ifa_addr)->sin6_addr)))
                continue;
            if (!getnameinfo(at->ifa_addr, (socklen_t)size, text, sizeof(text), NULL, 0,
                             NI_NUMERICHOST))
                fprintf(out, "address %s\n", text);
        }
    }
    if (list)
        freeifaddrs(list);
}

/* The invitation; it fits a pipe. The caller frees it. */
static char *invitation_for(const struct ft_node *node, size_t *length)
{
    const struct ft_nodes *nodes = node->nodes;
    char hex[2 * sizeof(nodes->secret) + 1], *text = NULL;
    FILE *out = open_memstream(&text, length);

    if (!out)
        return NULL;
    sodium_bin2hex(hex, sizeof(hex), nodes->secret, sizeof(nodes->secret));
    fprintf(out, FT_AGENT_GREETING "\nnode %d\nsecret %s\nport %d\n", node->number, hex,
            nodes->port);
    print_addresses(out);
    fprintf(out, "end\n");
    sodium_memzero(hex, sizeof(hex));
    return fclose(out) ? NULL : text;
}

/* The shell's command: the engine's words, each {node} replaced, and the agent's. */
static void write_command(const struct ft_node *node, const char *self, char *command, size_t size)
{
    const char *launcher = node->nodes->launcher, *mark;
    size_t used = 0;

    command[0] = 0;
    if (!launcher)
        launcher = "ssh -o BatchMode=yes -o ServerAliveInterval=5 -T {node}";
    while ((mark = strstr(launcher, "{node}")) && used < size) {
        used += (size_t)snprintf(command + used, size - used, "%.*s%s", (int)(mark - launcher),
                                 launcher, node->name);
        launcher = mark + strlen("{node}");
    }
    if (used < size)
        snprintf(command + used, size - used, "%s %s --agent", launcher, self);
}

static int start_engine(struct ft_node *node, const char *self)
{
    char command[TEXT + PATH_MAX];
    const char *argv[] = {"sh", "-c", command, NULL};
    int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
    enum ft_spawn_step step;
    extern char **environ;
    size_t length = 0;
    char *invitation = invitation_for(node, &length);

    if (!invitation || null < 0 || pipe2(ends, O_CLOEXEC)) {
        free(invitation);
        return -ENOMEM;
    }
    snprintf(command, sizeof(command), "exec ");
    write_command(node, self, command + strlen(command), sizeof(command) - strlen(command));
    struct ft_spawn spawn = {.path = "/bin/sh",
                             .argv = (char *const *)(uintptr_t)argv,
                             .envp = environ,
                             .fds = {ends[0], null, STDERR_FILENO, -1, -1}};
    pid_t pid = ft_spawn_start(&spawn, &step);
    ssize_t written = pid > 0 ? write(ends[1], invitation, length) : 0;
    (void)written; /* an engine that does not read ends, which is noticed */
    sodium_memzero(invitation, length);
    free(invitation);
    close(ends[0]);
    close(ends[1]);
    close(null);
    node->engine = pid > 0 ? pid : 0;
    return pid > 0 ? 0 : pid;
}

static void look_at(struct ft_node *node, double now)
{
    char why[64];

    if (!node->link)
        return;
    if (now - node->heard > node->nodes->heartbeat) {
        snprintf(why, sizeof(why), "its agent has said nothing for %.1f s", now - node->heard);
        cut(node, why);
    } else {
        ft_node_tell(node, FT_AGENT_BEAT, -1, 0, 0, NULL, 0);
    }
}

/* If this process was stopped itself it has heard nobody: it listens first. */
static void on_beat(void *context)
{
    struct ft_nodes *nodes = context;
    double now = ft_loop_now(), period = nodes->heartbeat / 5;
    int late = now - nodes->beat.due > period;

    for (int i = 0; i < nodes->count; i++) {
        if (late && nodes->node[i].link)
            nodes->node[i].heard = now;
        look_at(&nodes->node[i], now);
    }
    ft_loop_after(nodes->loop, &nodes->beat, period, on_beat, nodes);
}

static void on_late(void *context)
{
    struct ft_nodes *nodes = context;
    int i = 0;

    while (i < nodes->count - 1 && nodes->node[i].ready)
        i++;
    fail(nodes, "node %s: %s", nodes->node[i].name, "its agent has not connected within 60 s");
}

int ft_nodes_start(struct ft_nodes *nodes, const void *job, size_t length)
{
    char self[PATH_MAX];
    ssize_t got = readlink("/proc/self/exe", self, sizeof(self) - 1);
    int code = 0;

    self[got > 0 ? got : 0] = 0;
    nodes->job = malloc(length);
    if (!nodes->job)
        return -ENOMEM;
    memcpy(nodes->job, job, length);
    nodes->job_length = length;
    for (const char *at = self; *at; at++) {
        if (!strchr("/._+-", *at) && !((*at | 32) >= 'a' && (*at | 32) <= 'z') &&
            !(*at >= '0' && *at <= '9'))
            code = -EINVAL;
    }
    if (code || got <= 0) {
        nodes->calls.say("%s: a path with this character cannot be given to an engine", self);
        return -EINVAL;
    }
    for (int i = 0; !code && i < nodes->count; i++) {
        if ((code = start_engine(&nodes->node[i], self)))
            nodes->calls.say("node %s: its engine cannot be started: %s", nodes->node[i].name,
                             strerror(-code));
    }
    ft_loop_after(nodes->loop, &nodes->patience, start_patience, on_late, nodes);
    ft_loop_after(nodes->loop, &nodes->beat, nodes->heartbeat / 5, on_beat, nodes);
    return code;
}

void ft_node_tell(struct ft_node *node, enum ft_agent_type type, int rank, uint32_t life,
                  int64_t value, const void *body, size_t length)
{
    struct ft_agent_head head = {.type = type, .rank = rank, .life = life, .value = value};

    if (!node->link)
        return;
    node->told = ft_loop_now();
    ft_link_send(node->link, &head, sizeof(head), body, length);
}

void ft_node_break(struct ft_node *node)
{
    ft_link_break(node->link);
}

int ft_nodes_reaped(struct ft_nodes *nodes, pid_t pid, int status)
{
    struct ft_node *node = NULL;
    char why[128];

    for (int i = 0; nodes && i < nodes->count; i++) {
        if (nodes->node[i].engine == pid)
            node = &nodes->node[i];
    }
    if (!node)
        return 0;
    node->engine = 0;
    if (WIFEXITED(status))
        snprintf(why, sizeof(why), "its engine has ended with code %d", WEXITSTATUS(status));
    else
        snprintf(why, sizeof(why), "its engine was ended by signal %d", WTERMSIG(status));
    if (node->silent > 0)
        ft_loop_after(nodes->loop, &node->verdict, 0.01, on_verdict, node);
    else if (!node->link)
        fail(nodes, "node %s: %s before its agent had connected", node->name, why);
    return 1;
}

static int is_engine_left(const struct ft_nodes *nodes)
{
    for (int i = 0; i < nodes->count; i++) {
        if (nodes->node[i].engine)
            return 1;
    }
    return 0;
}

static void wait_for_engines(struct ft_nodes *nodes)
{
    double until = ft_loop_now() + farewell;

    while (is_engine_left(nodes) && ft_loop_now() < until) {
        for (int i = 0; i < nodes->count; i++) {
            pid_t *engine = &nodes->node[i].engine;

            if (*engine && waitpid(*engine, NULL, WNOHANG) == *engine)
                *engine = 0;
        }
        usleep(500);
    }
    for (int i = 0; i < nodes->count; i++) {
        if (nodes->node[i].engine)
            kill(nodes->node[i].engine, SIGKILL);
    }
}

void ft_nodes_destroy(struct ft_nodes *nodes)
{
    struct ft_stranger *stranger, *next;

    if (!nodes)
        return;
    nodes->over = 1;
    ft_loop_cancel(nodes->loop, &nodes->beat);
    ft_loop_cancel(nodes->loop, &nodes->patience);
    for (int i = 0; i < nodes->count; i++) {
        struct ft_node *node = &nodes->node[i];

        ft_loop_cancel(nodes->loop, &node->verdict);
        ft_node_tell(node, FT_AGENT_END, -1, 0, nodes->stays, NULL, 0);
        if (node->link)
            ft_link_flush(node->link, 1);
        if (!node->link && node->engine) /* its agent has not connected */
            kill(node->engine, SIGKILL);
    }
    wait_for_engines(nodes);
    for (int i = 0; i < nodes->count; i++) {
        ft_link_destroy(nodes->node[i].link);
        free(nodes->node[i].why);
    }
    DL_FOREACH_SAFE (nodes->strangers, stranger, next)
        forget_stranger(stranger, 0);
    if (nodes->listener >= 0) {
        ft_loop_forget(nodes->loop, nodes->listener);
        close(nodes->listener);
    }
    sodium_memzero(nodes->secret, sizeof(nodes->secret));
    free(nodes->job);
    free(nodes);
}
