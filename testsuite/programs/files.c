/* files: files that are written between a checkpoint and a failure: appended to, rewritten from the
 * start, changed in place, truncated, replaced by rename, removed; one of each per rank. The harness
 * compares the working directory afterwards.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 150
 * soak: 220
 * pace: 5000
 * kill: 1@hook:70
 * kill: 0@call:90:exit
 */
#include "program.h"

#define RECORDS 64

static char name[64];

static const char *file_name(const char *what)
{
    snprintf(name, sizeof(name), "%s.%d", what, rank);
    return name;
}

static void rewrite(long number)
{
    FILE *file = fopen(file_name("rewritten"), "w");

    fprintf(file, "step %ld\n%0*d\n", number, (int)(number % 50) + 1, 0);
    fclose(file);
}

/* One record of a file of fixed size, with plain descriptors. */
static void change_in_place(int fd, long number)
{
    uint64_t record[4], place = mix((uint64_t)number) % RECORDS;

    if (pread(fd, record, sizeof(record), (off_t)(place * sizeof(record))) != sizeof(record))
        memset(record, 0, sizeof(record));
    record[0] += (uint64_t)number;
    record[1]++;
    check(pwrite(fd, record, sizeof(record), (off_t)(place * sizeof(record))) == sizeof(record),
          "pwrite", number);
}

static void replace(long number)
{
    char target[64];
    FILE *file = fopen(file_name("new"), "w");

    fprintf(file, "version %ld\n", number);
    fclose(file);
    snprintf(target, sizeof(target), "replaced.%d", rank);
    check(rename(name, target) == 0, "rename", number);
}

static void come_and_go(long number)
{
    FILE *file;

    if (number % 3 == 1) {
        file = fopen(file_name("sometimes"), "a");
        fprintf(file, "%ld\n", number);
        fclose(file);
    } else if (number % 3 == 0 && number % 2) {
        unlink(file_name("sometimes"));
    } else if (number % 12 == 0) {
        check(truncate(file_name("sometimes"), 2) == 0, "truncate", number);
    }
}

static uint64_t read_back(FILE *log, long number)
{
    char line[64] = "";

    fflush(log);
    fseek(log, -4, SEEK_END);
    check(fgets(line, sizeof(line), log) != NULL, "reading back", number);
    fseek(log, 0, SEEK_END);
    return digest(0, line, strlen(line));
}

int main(int argc, char **argv)
{
    uint64_t state = 0;
    long steps, value;
    FILE *log;
    int fd;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    log = fopen(file_name("log"), "w+");
    fd = open(file_name("records"), O_RDWR | O_CREAT | O_TRUNC, 0644);
    for (long number = 1; number <= steps; number++) {
        step(number);
        value = number * (rank + 1);
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        fprintf(log, "step %ld value %ld\n", number, value);
        state = mix(state + read_back(log, number));
        change_in_place(fd, number);
        rewrite(number);
        replace(number);
        come_and_go(number);
    }
    fclose(log);
    close(fd);
    return program_end("files", state);
}
