/* The zygote (zygote.h).
 *
 * A rank must be ftrun's child, so it is forked twice: when the process in between ends, the kernel
 * gives the rank to the nearest subreaper, which is ftrun. fork(2) through libc, because a raw
 * clone would leave libc with the zygote's thread id.
 *
 * Each order has one answer, from the zygote, and not before the rank is ftrun's child: whoever is
 * killed meanwhile, ftrun gets a pid, or an error, and hears of the rank's death like of any. */
#include "start/zygote.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/files.h"
#include "os/os.h"
#include "process.h"

enum { PAGE = 4096 };

static char zygote_buffer[FT_WIRE_MAX];
static volatile pid_t *born; /* the new rank, or -errno; the process in between writes it */

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
    while (getppid() == between)
        sched_yield();
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != ftrun)
        _exit(1);
    ft_os_unmap((void *)(uintptr_t)born, PAGE);
    close(ft_life.control);
    ft_life.control = ft_files_own(control);
    return take_descriptors();
}

/* In between. Returns in the rank alone, with the recorder's descriptor. */
static int fork_rank(int control, pid_t ftrun)
{
    pid_t self = getpid(), rank = fork();

    if (rank == 0)
        return become_rank(control, self, ftrun);
    if (rank > 0)
        setpgid(rank, rank); /* before ftrun, which ends groups, hears of it */
    *born = rank < 0 ? -errno : rank;
    _exit(0);
}

/* Returns the recorder's descriptor in the rank, -1 in the zygote. */
static int spawn_rank(int control, pid_t ftrun)
{
    struct ft_wire_number pid;
    pid_t between;

    *born = -ECHILD;
    between = fork();
    if (between == 0)
        return fork_rank(control, ftrun);
    if (between < 0)
        *born = -errno;
    else
        waitpid(between, NULL, 0);
    pid.value = *born;
    ft_wire_send(ft_life.control, FT_WIRE_SPAWNED, &pid, sizeof pid, NULL, 0, -1);
    close(control);
    return -1;
}

int ft_zygote_run(void)
{
    pid_t ftrun = getppid();
    int control, recorder;

    born = ft_os_map(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (born == MAP_FAILED)
        ft_panic("no memory for a page of the zygote");
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
