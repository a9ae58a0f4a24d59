/* latecomer: all ranks append to one log, in turns. Rank 0 holds many other descriptors, so that it
 * takes long to look at all of them: when it comes to the log, at a checkpoint, others go on and
 * write already: between two lines rank 1 passes a safe point and waits for nobody.
 *
 * arguments: [steps 60] [descriptors 600]
 *
 * ranks: 2
 * test: 60 600
 * pace: 1000
 */
#include "program.h"

int main(int argc, char **argv)
{
    long steps, many;
    char text[64];
    int log, tail, there;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    many = argument(argc, argv, 2, 600);
    for (long i = 0; rank == 0 && i < many; i++)
        check(open("/dev/null", O_RDONLY) >= 0, "open", i);
    log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    tail = open("log", O_RDONLY);
    check(log >= 0 && tail >= 0, "log", 0);
    for (long number = 1; number <= steps; number++) {
        step(number);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int line = 0; rank == 1 && line < 50; line++) {
            int length = snprintf(text, sizeof(text), "step %ld line %d\n", number, line);

            check(write(log, text, (size_t)length) == length, "write", number);
            MPI_Iprobe(0, 1, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
            pause_us(100);
        }
    }
    close(tail);
    close(log);
    return program_end("latecomer", (uint64_t)steps);
}
