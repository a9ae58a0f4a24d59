/* libc_tree: what a program does to names: folders made and removed, files renamed over others,
 * links, temporary files, a log that all ranks append to, a table that all ranks change in place,
 * files cut and grown. The harness compares the working directory afterwards.
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

static const char *name_of(const char *what, long number)
{
    static char name[4][64];
    static int next;

    next = (next + 1) % 4;
    snprintf(name[next], sizeof name[0], "%s.%d.%ld", what, rank, number);
    return name[next];
}

static void put(const char *name, const char *mode, long number)
{
    FILE *file = fopen(name, mode);

    check(file != NULL, name, number);
    fprintf(file, "%ld\n", number);
    fclose(file);
}

/* A folder lives for five steps, with a file in it. */
static void folders(long number)
{
    char inner[80];

    check(mkdir(name_of("folder", number), 0755) == 0, "mkdir", number);
    snprintf(inner, sizeof inner, "%s/inner", name_of("folder", number));
    put(inner, "w", number);
    if (number <= 5)
        return;
    snprintf(inner, sizeof inner, "%s/inner", name_of("folder", number - 5));
    check(unlink(inner) == 0 && rmdir(name_of("folder", number - 5)) == 0, "rmdir", number);
}

static void names(long number)
{
    char target[64];
    ssize_t length;

    put(name_of("new", 0), "w", number);
    check(rename(name_of("new", 0), name_of("old", number % 4)) == 0, "rename", number);
    if (number > 1) {
        length = readlink(name_of("link", 0), target, sizeof target - 1);
        check(length > 0, "readlink", number);
        target[length] = 0;
        check(strcmp(target, name_of("old", (number - 1) % 4)) == 0, "link", number);
        check(unlink(name_of("link", 0)) == 0, "unlink", number);
    }
    check(symlink(name_of("old", number % 4), name_of("link", 0)) == 0, "symlink", number);
    put(name_of("link", 0), "a", number);
}

static void temporary(long number)
{
    char name[] = "temporaryXXXXXX";
    int fd = mkstemp(name);

    check(fd >= 0 && write(fd, "x", 1) == 1, "mkstemp", number);
    close(fd);
    check(number % 2 ? unlink(name) == 0 : rename(name, name_of("kept", number)) == 0, "temporary",
          number);
}

/* Every rank appends in its turn to one log, and changes its records of one table. */
static void together(int log, int table, long number)
{
    char text[64];
    long record[2] = {number, rank}, old[2];
    off_t place = (off_t)((number % 40 * size + rank) * (long)sizeof record);

    for (int turn = 0; turn < size; turn++) {
        if (turn == rank) {
            int length = snprintf(text, sizeof text, "step %ld rank %d\n", number, rank);

            check(write(log, text, (size_t)length) == length, "log", number);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (pread(table, old, sizeof old, place) == sizeof old && old[0] != 0)
        check(old[0] == number - 40 && old[1] == rank, "table", number);
    check(pwrite(table, record, sizeof record, place) == sizeof record, "pwrite", number);
}

static void sizes(long number)
{
    struct stat status;

    put(name_of("cut", 0), "a", number);
    if (number % 10 == 0)
        check(truncate(name_of("cut", 0), number % 30) == 0, "truncate", number);
    check(stat(name_of("cut", 0), &status) == 0, "stat", number);
    put(name_of("sizes", 0), "a", status.st_size);
}

int main(int argc, char **argv)
{
    int log, table;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0644);
    table = open("table", O_RDWR | O_CREAT, 0644);
    check(log >= 0 && table >= 0, "open", 0);
    for (long number = 1; number <= steps; number++) {
        step(number);
        folders(number);
        names(number);
        temporary(number);
        together(log, table, number);
        sizes(number);
    }
    close(log);
    close(table);
    return program_end("libc_tree", (uint64_t)steps);
}
