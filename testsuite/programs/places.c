/* places: files where libraries have theirs are open across failures: in /dev/shm a stream that
 * grows, a number that is overwritten by a copied descriptor, a file that has lost its name.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 120
 * soak: 500
 * pace: 5000
 * kill: 1@hook:60
 * kill: 0@hook:40 1@hook:90
 */
#include <sys/stat.h>
#include "program.h"

static char growing_name[64], number_name[64];
static FILE *growing;
static int number_fd, nameless;

static void memory_open(void)
{
    char name[] = "/dev/shm/fts-places-XXXXXX";
    int fd;

    snprintf(growing_name, sizeof growing_name, "/dev/shm/fts-places-%d-%d.lines", rank, getpid());
    snprintf(number_name, sizeof number_name, "/dev/shm/fts-places-%d-%d", rank, getpid());
    growing = fopen(growing_name, "w+");
    fd = open(number_name, O_RDWR | O_CREAT | O_EXCL, 0600);
    number_fd = dup(fd);
    close(fd);
    nameless = mkstemp(name);
    unlink(name);
    check(growing != NULL && number_fd >= 0 && nameless >= 0, "open", 0);
}

static uint64_t memory_use(long number)
{
    long before = 0, lines = 0;
    char line[64];

    check(pread(number_fd, &before, sizeof before, 0) == (number == 1 ? 0 : (long)sizeof before) &&
              before == number - 1,
          "the number", number);
    check(pwrite(number_fd, &number, sizeof number, 0) == sizeof number, "pwrite", number);
    check(write(nameless, &number, sizeof number) == sizeof number &&
              lseek(nameless, 0, SEEK_CUR) == number * (long)sizeof number,
          "without a name", number);
    fprintf(growing, "%ld\n", number);
    rewind(growing);
    while (fgets(line, sizeof line, growing) != NULL)
        check(atol(line) == ++lines, "lines", number);
    check(lines == number, "number of lines", number);
    return (uint64_t)(before + lines);
}

static void memory_close(void)
{
    struct stat status;

    check(stat(growing_name, &status) == 0 && unlink(growing_name) == 0 && unlink(number_name) == 0,
          "names", 0);
    fclose(growing);
    close(number_fd);
    close(nameless);
}

int main(int argc, char **argv)
{
    uint64_t state = 0, out;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    memory_open();
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state + memory_use(number));
        out = state;
        MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        state ^= out;
    }
    memory_close();
    return program_end("places", state);
}
