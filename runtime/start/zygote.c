/* The zygote (zygote.h).
 *
 * A rank must be ftrun's child, so it is forked twice: when the process in between ends, the kernel
 * gives the rank to the nearest subreaper, which is ftrun. fork(2) through libc, because a raw
 * clone would leave libc with the zygote's thread id. */
#include "start/zygote.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/files.h"
#include "process.h"

static char zygote_buffer[FT_WIRE_MAX];

/* Takes the descriptors that ftrun has put into the new rank's socket. */
static int take_descriptors(void)
{
    int recorder = -1;

    for (int i = 0; i < 4; i++) {
        const struct ft_wire_number *number;
        int fd;

        if (ft_wire_receive(ft_life.control, 1, zygote_buffer, &fd) <= 0)
            _exit(1);
        number = ft_wire_payload(zygote_buffer, sizeof *number);
        if (((struct ft_wire_head *)zygote_buffer)->type != FT_WIRE_FD || !number || fd < 0)
            ft_panic("expected a descriptor from ftrun");
        if (number->value < 0) {
            recorder = fd;
        } else {
            dup2(fd, (int)number->value);
            close(fd);
        }
    }
    return recorder;
}

/* In the new rank: waits until it is ftrun's child, then dies with it. */
static int become_rank(int control, pid_t between, pid_t ftrun)
{
    struct ft_wire_number pid = {getpid()};

    while (getppid() == between)
        sched_yield();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != ftrun)
        _exit(1);
    setpgid(0, 0);
    ft_wire_send(ft_life.control, FT_WIRE_SPAWNED, &pid, sizeof pid, NULL, 0, -1);
    close(ft_life.control);
    ft_life.control = ft_files_own(control);
    return take_descriptors();
}

static void report_failure(int code)
{
    struct ft_wire_number number = {-code};

    ft_wire_send(ft_life.control, FT_WIRE_SPAWNED, &number, sizeof number, NULL, 0, -1);
}

/* Returns the recorder's descriptor in the rank, -1 in the zygote. */
static int spawn_rank(int control, pid_t ftrun)
{
    pid_t between = fork();

    if (between == 0) {
        pid_t self = getpid(), rank = fork();

        if (rank == 0)
            return become_rank(control, self, ftrun);
        if (rank < 0)
            report_failure(errno);
        _exit(0);
    }
    if (between < 0)
        report_failure(errno);
    else
        waitpid(between, NULL, 0);
    close(control);
    return -1;
}

int ft_zygote_run(void)
{
    pid_t ftrun = getppid();
    int control, recorder;

    for (;;) {
        if (ft_wire_receive(ft_life.control, 1, zygote_buffer, &control) <= 0)
            _exit(0);
        if (((struct ft_wire_head *)zygote_buffer)->type != FT_WIRE_SPAWN || control < 0)
            ft_panic("expected a SPAWN order from ftrun");
        recorder = spawn_rank(control, ftrun);
        if (recorder >= 0)
            return recorder;
    }
}
