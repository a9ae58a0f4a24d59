/* cstate: state that the C library keeps for the program: rand and random, setjmp and longjmp out
 * of nested calls, strtok, the environment, the working directory, atexit, signal handlers, a
 * thread-local variable, and MPI_Wtime, which may not run backwards.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 150
 * soak: 220
 * pace: 5000
 * kill: 1@hook:70
 * kill: 0@call:200
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/stat.h>
#include "program.h"

static jmp_buf place;
static __thread uint64_t local;
static volatile sig_atomic_t signals;
static long last_step;

static void on_signal(int number)
{
    signals += number == SIGUSR2;
}

static void at_exit(void)
{
    if (rank == 0)
        printf("atexit: after step %ld\n", last_step);
}

static void dive(int depth, long number)
{
    char frame[200];

    snprintf(frame, sizeof(frame), "%ld-%d", number, depth);
    local = digest(local, frame, strlen(frame));
    if (depth > 0)
        dive(depth - 1, number);
    else if (number > 0)
        longjmp(place, (int)(number % 100) + 1);
}

static int jump(long number)
{
    int value = setjmp(place);

    if (value == 0)
        dive(10, number);
    return value;
}

/* A string is taken apart one token a step. */
static const char *token(long number)
{
    static char words[128];

    if (number % 8 == 1)
        return strtok(strcpy(words, "one two three four five six seven eight"), " ");
    return strtok(NULL, " ");
}

/* mpiexec tells each process its place, before MPI_Init, too. */
static void place_check(int known_rank, long number)
{
    const char *first = getenv("PMI_RANK"), *local_rank = getenv("MPI_LOCALRANKID");

    check(first && local_rank && getenv("PMI_SIZE") && getenv("MPI_LOCALNRANKS"), "place", number);
    check(!strcmp(first, local_rank) && (known_rank < 0 || atoi(first) == known_rank), "place",
          number);
}

static void environment(long number)
{
    char value[32], place_name[32], here[4096];

    place_check(rank, number);
    snprintf(value, sizeof(value), "value-%ld", number - 1);
    check(number == 1 || !strcmp(getenv("FT_TEST_CHANGES"), value), "environment", number);
    snprintf(value, sizeof(value), "value-%ld", number);
    setenv("FT_TEST_CHANGES", value, 1);
    snprintf(place_name, sizeof(place_name), "/folder.%d", rank);
    check(getcwd(here, sizeof(here)) && strstr(here, place_name), "working directory", number);
}

int main(int argc, char **argv)
{
    double before = 0, now;
    uint64_t state = 0, out;
    char folder[32];
    long steps;

    place_check(-1, 0);
    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    srand(17 + (unsigned)rank);
    srandom(4 + (unsigned)rank);
    signal(SIGUSR2, on_signal);
    atexit(at_exit);
    snprintf(folder, sizeof(folder), "folder.%d", rank);
    check(mkdir(folder, 0755) == 0 && chdir(folder) == 0, "folder", 0);
    for (long number = 1; number <= steps; number++) {
        step(number);
        now = MPI_Wtime();
        check(now >= before, "MPI_Wtime goes back", number);
        before = now;
        state = mix(state + (uint64_t)rand() + (uint64_t)random() + (uint64_t)jump(number));
        state = digest(state, token(number), 3) ^ local;
        environment(number);
        raise(SIGUSR2);
        check(signals == number, "signals", number);
        out = state;
        MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        state ^= out;
        last_step = number;
    }
    return program_end("cstate", state + local);
}
