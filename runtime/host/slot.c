/* slot: ftslot SOCKET EPOCH, the process that mpiexec starts for a rank in one epoch.
 *
 * It hands its PMI descriptor and environment to ftrun, and then only keeps the launcher's job
 * alive: it ends when ftrun closes the socket, or dies with its parent. It keeps the descriptor
 * open, so that the launcher does not see a rank die: in MPI_Init the others would lose the
 * launcher, and say so on the program's stderr, before ftrun can stop them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include "host/slot.h"
#include "wire/wire.h"

static int fail(const char *what)
{
    fprintf(stderr, "ftslot: %s: %s\n", what, strerror(errno));
    return 1;
}

static int connect_to(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
        return -1;
    strcpy(address.sun_path, path);
    return connect(fd, (const struct sockaddr *)&address, sizeof(address)) ? -1 : fd;
}

/* What the launcher adds for the MPI library; PMI_FD is another number in the rank. */
static int is_wanted(const char *variable)
{
    return (!strncmp(variable, "PMI_", 4) && strncmp(variable, "PMI_FD=", 7)) ||
           !strncmp(variable, "PMIX_", 5) || !strncmp(variable, "MPI_LOCAL", 9) ||
           !strncmp(variable, "MPIR_CVAR_CH3_INTERFACE_HOSTNAME=", 33);
}

static uint32_t collect(char *tail, size_t room, size_t *length)
{
    extern char **environ;
    uint32_t count = 0;

    *length = 0;
    for (char **variable = environ; *variable; variable++) {
        size_t bytes = strlen(*variable) + 1;

        if (!is_wanted(*variable) || *length + bytes > room)
            continue;
        memcpy(tail + *length, *variable, bytes);
        *length += bytes;
        count++;
    }
    return count;
}

int main(int argc, char **argv)
{
    static char tail[FT_WIRE_MAX / 2];
    const char *fd = getenv("PMI_FD"), *rank = getenv("PMI_RANK");
    size_t length;
    char byte;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (argc != 3 || !fd || !rank) {
        fputs("ftslot: is started by ftrun through mpiexec only\n", stderr);
        return 2;
    }
    struct ft_slot_hello hello = {.epoch = (uint32_t)strtoul(argv[2], NULL, 10),
                                  .rank = atoi(rank)};
    hello.count = collect(tail, sizeof(tail), &length);
    int control = connect_to(argv[1]);
    if (control < 0)
        return fail(argv[1]);
    int code = ft_wire_send(control, FT_WIRE_PMI, &hello, sizeof(hello), tail, length, atoi(fd));
    if (code) {
        errno = -code;
        return fail("sending");
    }
    while (read(control, &byte, 1) < 0 && errno == EINTR)
        ;
    return 0;
}
