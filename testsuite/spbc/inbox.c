/* inbox: rank 0 leaves tasks in a folder of each of the others, which look for them and leave
 * results: written under another name, renamed, found among the names in the folder, and removed.
 * Names that come between opendir and the first readdir are found, too.
 *
 * arguments: [steps 20]
 *
 * ranks: 4
 * test: 20
 * pace: 1000
 */
#include <dirent.h>
#include <sys/stat.h>

#include "program.h"

static int has_name(const char *folder, const char *name)
{
    DIR *stream = opendir(folder);
    struct dirent *entry;
    int found = 0;

    check(stream != NULL, folder, 0);
    pause_us(1000);
    while ((entry = readdir(stream)) != NULL)
        found |= strcmp(entry->d_name, name) == 0;
    closedir(stream);
    return found;
}

static void leave(const char *folder, long number, uint64_t value)
{
    char hidden[64], name[64];
    FILE *file;

    snprintf(hidden, sizeof hidden, "%s/.%ld", folder, number);
    snprintf(name, sizeof name, "%s/%ld", folder, number);
    file = fopen(hidden, "w");
    check(file != NULL && fprintf(file, "%llu\n", (unsigned long long)value) > 0, hidden, number);
    fclose(file);
    check(rename(hidden, name) == 0, "rename", number);
}

static uint64_t take(const char *folder, long number)
{
    unsigned long long value = 0;
    char name[64], path[64];
    FILE *file;

    snprintf(name, sizeof name, "%ld", number);
    snprintf(path, sizeof path, "%s/%ld", folder, number);
    while (!has_name(folder, name))
        pause_us(300);
    file = fopen(path, "r");
    check(file != NULL && fscanf(file, "%llu", &value) == 1, path, number);
    fclose(file);
    check(unlink(path) == 0, "unlink", number);
    return value;
}

static uint64_t manage(long number, uint64_t state)
{
    char folder[32];

    for (int r = 1; r < size; r++) {
        snprintf(folder, sizeof folder, "in.%d", r);
        leave(folder, number, state + (uint64_t)r);
    }
    for (int r = 1; r < size; r++) {
        snprintf(folder, sizeof folder, "out.%d", r);
        state = mix(state ^ take(folder, number));
    }
    return state;
}

int main(int argc, char **argv)
{
    uint64_t state;
    char in[32], out[32];
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 20);
    state = (uint64_t)rank;
    snprintf(in, sizeof in, "in.%d", rank);
    snprintf(out, sizeof out, "out.%d", rank);
    check(rank == 0 || (mkdir(in, 0700) == 0 && mkdir(out, 0700) == 0), "mkdir", 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (rank == 0) {
            state = manage(number, state);
        } else {
            state = mix(state ^ take(in, number));
            leave(out, number, state);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    return program_end("inbox", state);
}
