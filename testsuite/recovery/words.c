/* words: what the launcher's options did, as a rank sees it before MPI_Init and in its last step:
 * the numbers that mpiexec gives, a variable, the folder, standard output by lines.
 *
 * arguments: [steps 40]
 *
 * ranks: 3
 * test: 40
 * pace: 5000
 * output: sorted
 */
#include "program.h"

/* One call for each line: mpiexec may mix what comes in pieces. */
static void report(const char *when)
{
    static const char *const names[] = {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID",
                                        "MPI_LOCALNRANKS", "WORDS"};
    char folder[4096], line[8192];
    int length;

    check(getcwd(folder, sizeof folder) != NULL, "getcwd", 0);
    length = snprintf(line, sizeof line, "%s in %s:", when, strrchr(folder, '/') + 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %s=%s", names[i],
                           getenv(names[i]) ? getenv(names[i]) : "none");
    snprintf(line + length, sizeof line - (size_t)length, "\n");
    fputs(line, stdout);
    fflush(stdout);
}

int main(int argc, char **argv)
{
    long steps = argument(argc, argv, 1, 40);
    uint64_t state = 1;

    report("first");
    program_start(&argc, &argv);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 3);
    }
    report("last");
    return program_end("words", state);
}
