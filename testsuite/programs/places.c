/* places: files where libraries have theirs are open across failures: in /dev/shm a stream that
 * grows, a number that is overwritten by a copied descriptor, a file that has lost its name;
 * in /proc a list that is read once more in each step, one of the process itself, and one that has
 * been read to its middle. And paths that are NULL.
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
#include <errno.h>
#include <sys/stat.h>
#include "program.h"

static char growing_name[64], number_name[64];
static FILE *growing;
static int number_fd, nameless;
static FILE *self_status;
static int memory_info, version, thread;

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

static void kernels_open(void)
{
    char word[6] = "";

    self_status = fopen("/proc/self/status", "r");
    memory_info = open("/proc/meminfo", O_RDONLY);
    version = open("/proc/version", O_RDONLY);
    thread = open("/proc/thread-self/maps", O_RDONLY);
    check(self_status != NULL && memory_info >= 0 && version >= 0 && thread >= 0, "/proc", 0);
    check(read(version, word, 6) == 6 && !memcmp(word, "Linux ", 6), "version", 0);
}

static void kernels_use(long number)
{
    char text[4096] = "";
    long pid = 0;

    rewind(self_status);
    fflush(self_status);
    while (fgets(text, sizeof text, self_status) != NULL)
        sscanf(text, "Pid: %ld", &pid);
    check(pid == getpid(), "/proc/self/status", number);
    check(pread(memory_info, text, 9, 0) == 9 && !memcmp(text, "MemTotal:", 9), "meminfo", number);
    check(pread(thread, text, 12, 0) == 12, "maps", number);
    check(lseek(version, 0, SEEK_CUR) == 6, "the place", number);
}

/* A path of NULL is libc's to refuse. */
static void nowhere_look(long number)
{
    const char *volatile nowhere = NULL;
    struct stat status;

    check(access(nowhere, F_OK) < 0 && errno == EFAULT, "access", number);
    check(stat(nowhere, &status) < 0 && errno == EFAULT, "stat", number);
    check(lstat(nowhere, &status) < 0 && errno == EFAULT, "lstat", number);
    check(unlink(nowhere) < 0 && errno == EFAULT, "unlink", number);
    check(mkdir(nowhere, 0700) < 0 && errno == EFAULT, "mkdir", number);
    check(rmdir(nowhere) < 0 && errno == EFAULT, "rmdir", number);
    check(chdir(nowhere) < 0 && errno == EFAULT, "chdir", number);
    check(open(nowhere, O_RDONLY) < 0 && errno == EFAULT, "open", number);
}

static void kernels_close(void)
{
    char word[8] = "";

    check(read(version, word, 8) == 8 && !memcmp(word, "version ", 8), "version", 0);
    fclose(self_status);
    close(memory_info);
    close(version);
    close(thread);
}

int main(int argc, char **argv)
{
    uint64_t state = 0, out;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    memory_open();
    kernels_open();
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state + memory_use(number));
        kernels_use(number);
        nowhere_look(number);
        out = state;
        MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        state ^= out;
    }
    memory_close();
    kernels_close();
    return program_end("places", state);
}
