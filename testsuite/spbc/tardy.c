/* tardy: a barrier whose messages go out in polls, between accesses of a file. Among four ranks
 * rank 1 is late, so rank 0 tests the barrier for a while: that sends what rank 2 needs once rank 3
 * has sent something to rank 0. In another life rank 3 is late, and the tests are given again
 * before that: then rank 0 waits for what rank 2 does after the barrier, and has to send on
 * meanwhile.
 *
 * arguments: [steps 12] [the step with the barrier 8] [rank 0 appends to a log 0, or looks for a
 * file, by a call that nobody sees, and sleeps 1]
 *
 * ranks: 8
 * test: 12 8 0
 * pace: 2000
 */
#include "program.h"

static MPI_Comm four;

/* A file that tells, in all lives, that rank 3 has entered the barrier. Natively there is none. */
static const char *mark_path(void)
{
    static char path[4096];
    const char *marker = getenv("FT_TEST_MARKER");

    if (!marker)
        return NULL;
    snprintf(path, sizeof path, "%s.here", marker);
    return path;
}

static int is_marked(void)
{
    return mark_path() && syscall(SYS_faccessat, AT_FDCWD, mark_path(), F_OK) == 0;
}

static void mark(void)
{
    if (mark_path())
        syscall(SYS_close, syscall(SYS_openat, AT_FDCWD, mark_path(), O_CREAT | O_CLOEXEC, 0600));
}

/* Lines are alike, whoever writes first. */
static void write_line(const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);

    check(fd >= 0 && write(fd, "here\n", 5) == 5 && close(fd) == 0, name, 0);
}

static void test_and_look(MPI_Request *request, long looks)
{
    double end;
    int flag = 0;

    while (mark_path() && !is_marked())
        pause_us(1000);
    end = MPI_Wtime() + 0.05;
    while (!flag && MPI_Wtime() < end) {
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        pause_us(100);
    }
    if (looks) {
        while (syscall(SYS_faccessat, AT_FDCWD, "log", F_OK) != 0)
            usleep(1000);
    } else {
        pause_us(200000);
        write_line("log");
    }
}

static void meet(long looks)
{
    MPI_Request request;
    int ranks;

    if (rank == 1)
        pause_us(100000);
    if (rank == 3 && is_marked())
        pause_us(500000);
    MPI_Ibarrier(four, &request);
    if (rank == 3)
        mark();
    if (rank == 0)
        test_and_look(&request, looks);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 2) {
        MPI_Comm_size(four, &ranks); /* a place to die at */
        write_line("log");
    }
    MPI_Barrier(four);
}

int main(int argc, char **argv)
{
    long steps, when, looks;
    uint64_t state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 12);
    when = argument(argc, argv, 2, 8);
    looks = argument(argc, argv, 3, 0);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 4, 0, &four);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (number == when && rank < 4)
            meet(looks);
        state = ring_shift(state, 0);
    }
    MPI_Comm_free(&four);
    return program_end("tardy", state);
}
