/* slots: stock mpiexec is used as it is; ftrun needs from it N processes with PMI, and nothing
 * else.
 *
 * The socket lies in a private folder, and only peers of this user are heard. Slots of an epoch
 * that is over are sent away by closing their connection; they may come while those of the next one
 * do, so there is room for any number of connections. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utlist.h>
#include "host/program.h"
#include "host/slot.h"
#include "host/slots.h"
#include "host/spawn.h"
#include "wire/wire.h"

struct connection {
    struct ft_slots *slots;
    int fd;
    struct connection *next;
};

struct ft_slots {
    struct ft_slots_options options;
    char socket[64];
    char slot[PATH_MAX]; /* path of ftslot */
    char *mpiexec;       /* path */
    int listener;
    int output;     /* memfd with what the launcher printed, -1: none */
    pid_t launcher; /* mpiexec of the present epoch, 0: none */
    uint32_t epoch;
    double launched;
    struct connection *connections; /* a utlist */
};

static void close_connection(struct connection *connection)
{
    ft_loop_forget(connection->slots->options.loop, connection->fd);
    close(connection->fd);
    LL_DELETE(connection->slots->connections, connection);
    free(connection);
}

static void close_all(struct ft_slots *slots)
{
    while (slots->connections)
        close_connection(slots->connections);
}

static int is_same_user(int fd)
{
    struct ucred peer;
    socklen_t length = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) && peer.uid == geteuid();
}

/* One message of a slot; the connection is closed when it makes no sense. */
static void hear(void *context, uint32_t events)
{
    static char buffer[FT_WIRE_MAX];
    struct connection *connection = context;
    struct ft_slots *slots = connection->slots;
    int fd = -1;
    ssize_t length = ft_wire_receive(connection->fd, 0, buffer, &fd);
    const struct ft_slot_hello *hello = length > 0 ? ft_wire_payload(buffer, sizeof(*hello)) : NULL;

    (void)events;
    if (length == -EAGAIN)
        return;
    if (fd == -EMFILE) {
        close_connection(connection);
        slots->options.lacking(slots->options.context, EMFILE);
        return;
    }
    if (!hello || fd < 0 || hello->epoch != slots->epoch || hello->rank < 0 ||
        hello->rank >= slots->options.size) {
        if (fd >= 0)
            close(fd);
        close_connection(connection);
        return;
    }
    const char *tail = (const char *)(hello + 1);
    slots->options.ready(slots->options.context, hello->rank, tail,
                         (size_t)(buffer + length - tail), hello->count, fd);
}

static void accept_slot(void *context, uint32_t events)
{
    struct ft_slots *slots = context;
    int fd;

    (void)events;
    while ((fd = accept4(slots->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
        struct connection *connection = is_same_user(fd) ? malloc(sizeof(*connection)) : NULL;

        if (!connection) {
            close(fd);
            continue;
        }
        *connection = (struct connection){.slots = slots, .fd = fd};
        LL_PREPEND(slots->connections, connection);
        ft_loop_watch(slots->options.loop, fd, EPOLLIN, hear, connection);
    }
    if (errno == EMFILE || errno == ENFILE)
        slots->options.lacking(slots->options.context, errno);
}

static int open_listener(struct ft_slots *slots)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    snprintf(slots->socket, sizeof(slots->socket), "%s/slots", slots->options.folder);
    strcpy(address.sun_path, slots->socket);
    unlink(slots->socket);
    slots->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (slots->listener < 0 ||
        bind(slots->listener, (const struct sockaddr *)&address, sizeof(address)) ||
        listen(slots->listener, slots->options.size))
        return -errno;
    return ft_loop_watch(slots->options.loop, slots->listener, EPOLLIN, accept_slot, slots);
}

/* ftslot lies in ../libexec/ftcc beside the folder of ftrun, built and installed alike. */
static int find_slot(struct ft_slots *slots)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (length < 0)
        return -errno;
    self[length] = 0;
    char *slash = strrchr(self, '/');
    *slash = 0;
    if ((size_t)snprintf(slots->slot, sizeof(slots->slot), "%s/../libexec/ftcc/ftslot", self) >=
        sizeof(slots->slot))
        return -ENAMETOOLONG;
    return access(slots->slot, X_OK) ? -errno : 0;
}

/* Hydra's own names first: plain mpiexec may be another library's. */
static char *find_mpiexec(void)
{
    static const char *const names[] = {"mpiexec.hydra", "mpiexec.mpich", "mpiexec"};
    const char *named = getenv("FT_MPIEXEC");
    char *found = named ? ft_program_find(named, ".") : NULL;

    for (size_t i = 0; !named && !found && i < sizeof(names) / sizeof(names[0]); i++)
        found = ft_program_find(names[i], "/nonexistent");
    return found;
}

int ft_slots_create(const struct ft_slots_options *options, struct ft_slots **out, char *why,
                    size_t size)
{
    struct ft_slots *slots = calloc(1, sizeof(*slots));
    int code = slots ? 0 : -ENOMEM;

    if (code)
        return code;
    slots->options = *options;
    slots->listener = slots->output = -1;
    if (!(slots->mpiexec = find_mpiexec()))
        code = -ENOENT, snprintf(why, size,
                                 "mpiexec of MPICH is not in PATH (package mpich), or "
                                 "FT_MPIEXEC does not name it");
    else if ((code = find_slot(slots)))
        snprintf(why, size, "%s: %s; ftrun is not completely installed", slots->slot,
                 strerror(-code));
    else if ((code = open_listener(slots)))
        snprintf(why, size, "socket %s: %s", slots->socket, strerror(-code));
    if (code) {
        ft_slots_destroy(slots);
        return code;
    }
    *out = slots;
    return 0;
}

int ft_slots_launch(struct ft_slots *slots, uint32_t epoch, char *why, size_t size)
{
    char count[16], number[16];
    const char *argv[] = {"mpiexec",     "-launcher", "fork", "-rmk", "user",
                          "-hosts",      "localhost", "-n",   count,  slots->slot,
                          slots->socket, number,      NULL};
    enum ft_spawn_step step;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    snprintf(count, sizeof(count), "%d", slots->options.size);
    snprintf(number, sizeof(number), "%u", epoch);
    if (slots->output >= 0)
        close(slots->output);
    slots->output = memfd_create("ftrun-launcher", MFD_CLOEXEC);
    struct ft_spawn spawn = {.path = slots->mpiexec,
                             .argv = (char *const *)(uintptr_t)argv,
                             .envp = slots->options.envp,
                             .cwd = "/",
                             .fds = {null, slots->output, slots->output, -1, -1}};
    slots->epoch = epoch;
    slots->launched = ft_loop_now();
    pid_t pid = ft_spawn_start(&spawn, &step);
    close(null);
    if (pid < 0) {
        ft_spawn_explain(&spawn, pid, step, why, size);
        return pid;
    }
    slots->launcher = pid;
    return 0;
}

void ft_slots_drop(struct ft_slots *slots)
{
    close_all(slots);
    if (slots->launcher > 0)
        kill(-slots->launcher, SIGKILL);
    slots->launcher = 0;
}

int ft_slots_reaped(struct ft_slots *slots, pid_t pid)
{
    if (pid != slots->launcher)
        return 0;
    slots->launcher = 0;
    return 1;
}

/* Lets mpiexec end by itself, so that it cleans up after itself; kills it when it does not. */
static void await_launcher(struct ft_slots *slots)
{
    double end = ft_loop_now() + 1;

    while (slots->launcher > 0 && ft_loop_now() < end) {
        if (waitpid(slots->launcher, NULL, WNOHANG))
            slots->launcher = 0;
        else
            usleep(1000);
    }
    if (slots->launcher > 0) {
        kill(-slots->launcher, SIGKILL);
        waitpid(slots->launcher, NULL, 0);
    }
}

void ft_slots_destroy(struct ft_slots *slots)
{
    if (!slots)
        return;
    close_all(slots);
    await_launcher(slots);
    if (slots->listener >= 0) {
        ft_loop_forget(slots->options.loop, slots->listener);
        close(slots->listener);
        unlink(slots->socket);
    }
    if (slots->output >= 0)
        close(slots->output);
    free(slots->mpiexec);
    free(slots);
}

int ft_slots_alive(const struct ft_slots *slots)
{
    return slots->launcher > 0;
}

double ft_slots_launched(const struct ft_slots *slots)
{
    return slots->launched;
}

void ft_slots_output(const struct ft_slots *slots, char *text, size_t size)
{
    ssize_t length = slots->output < 0 ? 0 : pread(slots->output, text, size - 1, 0);

    text[length > 0 ? length : 0] = 0;
}
