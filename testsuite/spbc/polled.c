/* polled: ranks that wait for each other by files. In each step rank 1 makes one, and rank 0 waits
 * until it is there, looks at it for a while, and answers by another one. Rank 1 exchanges messages
 * with rank 2 before that.
 *
 * arguments: [steps 40] [how rank 0 waits 0] [steps between two barriers 3]
 *
 * ranks: 3
 * test: 40 0
 * test: 40 1
 * test: 40 2
 * test: 40 3
 * pace: 3000
 */
#include <sys/stat.h>
#include "program.h"

enum { BY_NAME, BY_SIZE, BY_CONTENT, UNSEEN };
enum { WHOLE = 4 }; /* bytes of a file */

static long way;

static int is_whole(const char *name)
{
    struct stat status;
    char text[WHOLE + 1] = "";
    FILE *file;

    switch (way) {
    case BY_NAME:
        return access(name, F_OK) == 0;
    case BY_SIZE:
        return stat(name, &status) == 0 && status.st_size == WHOLE;
    case BY_CONTENT:
        file = fopen(name, "r");
        if (file && fread(text, 1, WHOLE, file) != WHOLE)
            text[0] = '\0';
        if (file)
            fclose(file);
        return strcmp(text, "made") == 0;
    default:
        return syscall(SYS_faccessat, AT_FDCWD, name, F_OK) == 0;
    }
}

/* Without a sleep, with one of libc, and with one that nobody sees. */
static void wait_for(const char *name)
{
    while (!is_whole(name)) {
        if (way == BY_CONTENT)
            usleep(500);
        else if (way != BY_SIZE)
            pause_us(500);
    }
}

/* Complete under another name first, but where its size or content says that. */
static void make(const char *name)
{
    const char *first = way == BY_NAME || way == UNSEEN ? "new" : name;
    int fd = open(first, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    check(fd >= 0 && write(fd, "ma", 2) == 2, name, 0);
    pause_us(1000);
    check(write(fd, "de", 2) == 2 && close(fd) == 0, name, 0);
    check(first == name || rename(first, name) == 0, name, 0);
}

static uint64_t talk(long number)
{
    uint64_t sum = (uint64_t)number, got = 0;
    int other = 3 - rank;

    for (int i = 0; i < 3; i++) {
        MPI_Sendrecv(&sum, 1, MPI_UINT64_T, other, 1, &got, 1, MPI_UINT64_T, other, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = mix(sum + got);
        pause_us(500);
    }
    return sum;
}

static void look_on(const char *name, long number)
{
    for (int i = 0; i < 5; i++) {
        check(is_whole(name), "a file that was there", number);
        pause_us(1000);
    }
}

int main(int argc, char **argv)
{
    char made[32], answer[32];
    uint64_t sum = 0;
    long steps, apart;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 40);
    way = argument(argc, argv, 2, BY_NAME);
    apart = argument(argc, argv, 3, 3);
    for (long number = 1; number <= steps; number++) {
        step(number);
        snprintf(made, sizeof made, "made-%ld", number);
        snprintf(answer, sizeof answer, "answer-%ld", number);
        if (rank == 1 || rank == 2)
            sum = mix(sum ^ talk(number));
        if (rank == 1) {
            make(made);
            pause_us(3000);
            wait_for(answer);
        }
        if (rank == 0) {
            wait_for(made);
            look_on(made, number);
            make(answer);
        }
        if (number % apart == 0)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    return program_end("polled", sum);
}
