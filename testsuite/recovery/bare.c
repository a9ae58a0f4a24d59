/* bare: needs nothing of the C library by itself, as many programs in C++ do, so that this comes
 * behind all other libraries.
 *
 * arguments: none
 *
 * ranks: 2
 * hooks: none
 * output: sorted
 */
#include <mpi.h>

enum { ROUNDS = 1500, DIGITS = 20 };

/* The kernel's nanosleep: beside a busy core each round costs a time slice, so there are few. */
static void pause_briefly(void)
{
    const long time[2] = {0, 300000};
    long done;

    __asm__ volatile("syscall" : "=a"(done) : "0"(35L), "D"(time), "S"(0L) : "rcx", "r11", "memory");
}

/* The kernel's write. */
static void say(const char *text, long length)
{
    long done;

    __asm__ volatile("syscall"
                     : "=a"(done)
                     : "0"(1L), "D"(1L), "S"(text), "d"(length)
                     : "rcx", "r11", "memory");
}

static void say_number(unsigned long number)
{
    char text[DIGITS + 1];
    int at = DIGITS;

    text[at] = '\n';
    do
        text[--at] = (char)('0' + number % 10);
    while (number /= 10);
    say(text + at, DIGITS + 1 - at);
}

int main(int argc, char **argv)
{
    unsigned long state, sum = 0;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    state = (unsigned long)rank + 1;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Allreduce(&state, &sum, 1, MPI_UNSIGNED_LONG, MPI_SUM, MPI_COMM_WORLD);
        state = state * 31 + sum;
        pause_briefly();
    }
    say_number(state);
    MPI_Finalize();
    return 0;
}
