/* readers: what a rank writes others read, after a barrier: a file that is written anew in each
 * step, a log that stays open, names that are renamed into place, a length that is asked for.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 120
 * soak: 500
 * pace: 4000
 * kill: 1@hook:70
 * kill: 0@hook:30 1@hook:80
 */
#include <sys/stat.h>
#include "program.h"

static uint64_t seen;

static const char *name_of(const char *what, int whose)
{
    static char name[4][64];
    static int next;

    next = (next + 1) % 4;
    snprintf(name[next], sizeof name[0], "%s.%d", what, whose);
    return name[next];
}

static void part_write(long number)
{
    FILE *file = fopen(name_of("new", rank), "w");

    check(file != NULL, "fopen", number);
    fprintf(file, "%ld %d\n", number, rank);
    fclose(file);
    check(rename(name_of("new", rank), name_of("part", rank)) == 0, "rename", number);
    file = fopen(name_of("plain", rank), "w");
    check(file != NULL, "fopen", number);
    fprintf(file, "%ld %d\n", number, rank);
    fclose(file);
}

static void part_read(const char *what, int whose, long number)
{
    FILE *file = fopen(name_of(what, whose), "r");
    long step = -1;
    int who = -1;

    check(file != NULL, "a file to read", number);
    check(fscanf(file, "%ld %d", &step, &who) == 2, "a line to read", number);
    fclose(file);
    check(step == number && who == whose, "content", number);
    seen = mix(seen ^ ((uint64_t)step * 31 + (uint64_t)who));
}

static void log_read(int log, long number)
{
    char text[64], expected[64];
    int length = snprintf(expected, sizeof expected, "%08ld %d\n", number, (rank + 1) % size);

    check(read(log, text, (size_t)length) == length, "log", number);
    check(memcmp(text, expected, (size_t)length) == 0, "line", number);
}

int main(int argc, char **argv)
{
    int log, other;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    log = open(name_of("log", rank), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    MPI_Barrier(MPI_COMM_WORLD);
    other = open(name_of("log", (rank + 1) % size), O_RDONLY);
    check(log >= 0 && other >= 0, "open", 0);
    for (long number = 1; number <= steps; number++) {
        char text[64];
        int length = snprintf(text, sizeof text, "%08ld %d\n", number, rank);

        step(number);
        part_write(number);
        check(write(log, text, (size_t)length) == length, "write", number);
        MPI_Barrier(MPI_COMM_WORLD);
        pause_us(rank * 3000);
        for (int whose = 0; whose < size; whose++) {
            part_read("part", whose, number);
            part_read("plain", whose, number);
        }
        log_read(other, number);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return program_end("readers", seen);
}
