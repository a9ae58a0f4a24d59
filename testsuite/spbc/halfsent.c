/* halfsent: a rank is in the middle of a send to another cluster when its own cluster rolls back.
 * The data sent lies in a page that cannot be read for a while, so the library stops there, with a
 * place taken in the queue of the receiver.
 *
 * arguments: [way "none"] mate: the rank beside it dies meanwhile; self: it dies itself
 *
 * ranks: 4
 * pace: 8000
 */
#include <signal.h>
#include <sys/mman.h>
#include "program.h"

#define STEPS 40
#define MOMENT 25
#define PAGE 4096

static unsigned char page[PAGE] __attribute__((aligned(PAGE)));

/* Notes by raw system calls, which no rollback takes back. */
static const char *note_path(void)
{
    static char path[4096];
    const char *marker = getenv("FT_TEST_MARKER");

    snprintf(path, sizeof path, "%s.inside", marker ? marker : "/nowhere");
    return path;
}

static int note_is_there(void)
{
    return syscall(SYS_faccessat, AT_FDCWD, note_path(), F_OK) == 0;
}

static void note_make(void)
{
    long fd = syscall(SYS_openat, AT_FDCWD, note_path(), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

    if (fd >= 0)
        syscall(SYS_close, fd);
}

/* Inside of the library: the page can be read again after 20 ms. */
static void on_fault(int number)
{
    (void)number;
    note_make();
    pause_us(20000);
    syscall(SYS_mprotect, page, PAGE, PROT_READ | PROT_WRITE);
}

static void moment(const char *way)
{
    if (!strcmp(way, "mate") && rank == 2 && getenv("FT_TEST_MARKER")) {
        while (!note_is_there()) { /* a checkpoint may have been ordered, for which rank 3 waits */
            MPI_Comm_rank(MPI_COMM_WORLD, &rank);
            pause_us(20);
        }
        if (death_due()) /* asked for last: that checkpoint must not lead here again */
            raise(SIGKILL);
    }
    if (rank == 3 && !strcmp(way, "mate") && !note_is_there())
        signal(SIGSEGV, on_fault);
    else if (rank != 3 || strcmp(way, "self") || !death_due())
        return;
    syscall(SYS_mprotect, page, PAGE, PROT_NONE);
}

/* Rank 3 sends a page to rank 0; ranks of one cluster, of two, tell each other numbers. */
static uint64_t exchange(uint64_t state)
{
    uint64_t other = 0;

    if (rank == 3)
        MPI_Send(page, 1000, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
    for (int i = 0; i < 10; i++) {
        MPI_Sendrecv(&state, 1, MPI_UINT64_T, rank ^ 1, 2, &other, 1, MPI_UINT64_T, rank ^ 1, 2,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        state = mix(state + other);
    }
    if (rank == 0) {
        MPI_Recv(page, 1000, MPI_BYTE, 3, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        state = digest(state, page, 1000);
    }
    return state;
}

int main(int argc, char **argv)
{
    uint64_t state;

    program_start(&argc, &argv);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= STEPS; number++) {
        step(number);
        if (rank == 3)
            memset(page, (int)number, sizeof page);
        if (number == MOMENT && argc > 1)
            moment(argv[1]);
        state = exchange(state);
    }
    return program_end("halfsent", state);
}
