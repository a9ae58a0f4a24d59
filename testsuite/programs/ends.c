/* ends: the ways in which a rank can end. A death in the program's own code happens as often as the
 * harness asks (FT_TEST_DEATHS), so a recovered rank passes
 * the place; natively it does not happen.
 *
 * arguments: [what well] [steps 100] [code 7]
 *   well: nothing special                    last: rank 1 is killed right before MPI_Finalize
 *   segv, exit, abort-c: rank 1 dies in the middle of the run, by SIGSEGV, exit(code), abort()
 *   always: rank 1 dies by SIGSEGV in the middle, each time
 *   after: rank 1 ends with the code after MPI_Finalize, the others go on for a while
 *   return: all ranks return the code         mpi-abort: rank 1 calls MPI_Abort with the code
 *   early: all ranks end with the code before MPI_Init
 *
 * ranks: 2
 * test: well 100
 * soak: well 150
 * pace: 6000
 * kill: 0@hook:50 1@hook:70
 * kill: 1@hook:40:SEGV
 * kill: 0@hook:40:TERM
 */
#include <signal.h>
#include "program.h"

__attribute__((noinline)) static void crash_here(void)
{
    raise(SIGSEGV);
    pause_us(1); /* no tail call: the backtrace shall name this function */
}

static void middle(const char *what, int code)
{
    if (!strcmp(what, "always") && getenv("FT_TEST_MARKER"))
        crash_here();
    if (!strcmp(what, "segv") && death_due())
        crash_here();
    if (!strcmp(what, "exit") && death_due())
        exit(code);
    if (!strcmp(what, "abort-c") && death_due())
        abort();
    if (!strcmp(what, "mpi-abort"))
        MPI_Abort(MPI_COMM_WORLD, code);
}

static int end(const char *what, int code)
{
    if (!strcmp(what, "last") && rank == 1 && death_due())
        syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
    MPI_Finalize();
    if (!strcmp(what, "after")) {
        if (rank == 1)
            exit(code);
        pause_us(700000);
    }
    return !strcmp(what, "return") ? code : 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "well";
    long steps = argument(argc, argv, 2, 100), sum = 0;
    int code = (int)argument(argc, argv, 3, 7);

    if (!strcmp(what, "early"))
        return code;
    program_start(&argc, &argv);
    for (long number = 1; number <= steps; number++) {
        step(number);
        MPI_Allreduce(&number, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 0 && number % 10 == 0) {
            printf("step %ld: %ld\n", number, sum);
            fflush(stdout);
        }
        if (rank == 1 && number == steps * 3 / 4)
            middle(what, code);
    }
    return end(what, code);
}
