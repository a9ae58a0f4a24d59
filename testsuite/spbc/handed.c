/* handed: files that are written once, by one rank, and read by all behind a barrier, by each at a
 * moment of its own: made under another name, in a new folder, into which all put something; looked
 * at, listed and read. A folder of each step is made by whoever comes first. Nobody changes them
 * again, so who goes back takes nobody along; but in one step all change the same file, if that is
 * asked for.
 *
 * arguments: [steps 60] [that step 0] [step in which rank 0 dies if somebody has died before 0]
 *
 * ranks: 4
 * test: 60
 * pace: 3000
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>
#include "program.h"

static char *name_of(const char *format, long number, int whose)
{
    static char name[4][64];
    static int next;

    next = (next + 1) % 4;
    snprintf(name[next], sizeof(name[0]), format, number, whose);
    return name[next];
}

static void put(const char *name, uint64_t value)
{
    FILE *file = fopen(name, "w");

    check(file != NULL, name, 0);
    fprintf(file, "%016llx\n", (unsigned long long)value);
    fclose(file);
}

static uint64_t get(const char *name)
{
    FILE *file = fopen(name, "r");
    unsigned long long value = 0;

    check(file != NULL && fscanf(file, "%llx", &value) == 1, name, 0);
    fclose(file);
    return value;
}

static void hand(long number, uint64_t state)
{
    check(mkdir(name_of("set.%ld", number, 0), 0755) == 0, "mkdir", number);
    check(mkdir(name_of("set.%ld/parts", number, 0), 0755) == 0, "mkdir", number);
    for (int part = 0; part < 3; part++)
        put(name_of("set.%ld/parts/%d", number, part), mix(state + (uint64_t)part));
    put(name_of("new.%ld", number, 0), state);
    check(rename(name_of("new.%ld", number, 0), name_of("set.%ld/whole", number, 0)) == 0,
          "rename", number);
}

static int parts_count(long number)
{
    DIR *folder = opendir(name_of("set.%ld/parts", number, 0));
    struct dirent *entry;
    int count = 0;

    check(folder != NULL, "opendir", number);
    while ((entry = readdir(folder)) != NULL)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

/* Each rank asks for something else first. */
static uint64_t take(long number)
{
    char *whole = name_of("set.%ld/whole", number, 0);
    struct stat status = {.st_size = 0};
    uint64_t sum = 0;

    if (rank % 4 == 0)
        check(stat(whole, &status) == 0 && status.st_size == 17, "stat", number);
    else if (rank % 4 == 1)
        check(access(whole, R_OK) == 0, "access", number);
    else if (rank % 4 == 2)
        check(parts_count(number) == 3, "names", number);
    put(name_of("set.%ld/of.%d", number, rank), mix((uint64_t)number));
    for (int part = 0; part < 3; part++)
        sum = mix(sum ^ get(name_of("set.%ld/parts/%d", number, part)));
    check(access(name_of("new.%ld", number, 0), F_OK) != 0, "a name that was given away", number);
    return mix(sum ^ get(whole));
}

/* Each has its own place in it. */
static void change_common(void)
{
    int file = open("common", O_WRONLY | O_CREAT, 0644);

    check(file >= 0 && pwrite(file, "x\n", 2, 2L * rank) == 2, "common", rank);
    close(file);
}

/* All make it at once: one is the first, and nobody asks who. */
static void make_together(long number)
{
    check(mkdir(name_of("all.%ld", number, 0), 0755) == 0 || errno == EEXIST, "mkdir", number);
    put(name_of("all.%ld/of.%d", number, rank), mix((uint64_t)number));
}

/* For a tenth of a second, and without calls: there a survivor leaves the epoch. */
static void compute(void)
{
    static volatile uint64_t value;

    for (long i = 0; i < 50000000; i++)
        value = mix(value);
}

/* The others compute, before they take what rank 0 has handed them in the step before; and when it
 * is there again it takes its time. */
static void die_once(void)
{
    if (rank == 0 && events_seen("\"death\"") > 0 && death_due())
        raise(SIGKILL);
}

int main(int argc, char **argv)
{
    uint64_t state;
    long steps, common, dies;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    common = argument(argc, argv, 2, 0);
    dies = argument(argc, argv, 3, 0);
    state = (uint64_t)rank;
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (number == dies)
            die_once();
        if (number == dies - 1 && rank == 0 && events_seen("\"death\"") > 1)
            pause_us(500000);
        if (number % size == rank)
            hand(number, state);
        MPI_Barrier(MPI_COMM_WORLD);
        make_together(number);
        pause_us(2000 * ((rank + number) % size));
        if (rank > 0 && number == dies - 1)
            compute();
        state = take(number);
        if (number == common)
            change_common();
    }
    return program_end("handed", state);
}
