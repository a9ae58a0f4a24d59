/* unread: a sandbox keeps a rank from opening /proc/self/mem, by which its log is read into images.
 * Rank 3 sets it up; openings that could be meant stop in a signal handler, which looks at the
 * path.
 *
 * arguments: [errno 0] that the first openings get; 0: all are allowed
 *            [way "lives"] dies: the rank dies when two have failed
 *
 * ranks: 4
 * pace: 4000
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <ucontext.h>
#include "program.h"

#define STEPS 40
#define CLOSED 10 /* the step before which the sandbox is set up */
#define REFUSED 2 /* openings, until it is opened again */

static volatile int refused, granted, why;

/* openat(AT_FDCWD, path, flags) is done as open(path, flags), which the filter lets through. */
static void on_opening(int number, siginfo_t *info, void *context)
{
    greg_t *gregs = ((ucontext_t *)context)->uc_mcontext.gregs;
    const char *path = (const char *)gregs[REG_RSI];
    int saved = errno;

    (void)number;
    (void)info;
    if (strcmp(path, "/proc/self/mem") == 0 && refused < REFUSED) {
        refused++;
        gregs[REG_RAX] = -why;
        return;
    }
    granted += strcmp(path, "/proc/self/mem") == 0;
    gregs[REG_RAX] = syscall(SYS_open, path, (int)gregs[REG_RDX]);
    if (gregs[REG_RAX] < 0)
        gregs[REG_RAX] = -errno;
    errno = saved;
}

static void sandbox(void)
{
    struct sigaction action = {.sa_sigaction = on_opening, .sa_flags = SA_SIGINFO};
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)AT_FDCWD, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, O_RDONLY | O_CLOEXEC, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};

    sigaction(SIGSYS, &action, NULL);
    check(!prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
              !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program),
          "a filter of system calls", errno);
}

/* Until a checkpoint, which needs safe points, has come so far. */
static void await(const volatile int *count, int least)
{
    while (why && getenv("FT_TEST_MARKER") && *count < least) {
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        pause_us(100);
    }
}

/* The first image that is granted is written when the second one begins. A life that begins with an
 * image has no sandbox. */
static void moment(long number, int dies)
{
    if (number == CLOSED && why)
        sandbox();
    if (number == CLOSED + 10)
        await(&refused, REFUSED);
    if (number == CLOSED + 10 && dies && death_due())
        raise(SIGKILL);
    if (number == CLOSED + 20 && !dies)
        await(&granted, 2);
}

int main(int argc, char **argv)
{
    uint64_t state, other = 0;

    program_start(&argc, &argv);
    why = (int)argument(argc, argv, 1, 0);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= STEPS; number++) {
        step(number);
        if (rank == 3)
            moment(number, argc > 2 && !strcmp(argv[2], "dies"));
        MPI_Sendrecv(&state, 1, MPI_UINT64_T, (rank + 1) % size, 1, &other, 1, MPI_UINT64_T,
                     (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        state = mix(state + other);
    }
    return program_end("unread", state);
}
