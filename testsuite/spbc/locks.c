/* locks: in each step all ranks want to make the same file, and one does. All are told who, and he
 * writes that down, twice: behind a message, and before, when he alone knows. Then each takes a
 * lock, in an order that nobody knows before, and notes his turn. Before that all note something in
 * a file that the first of them makes. What is printed does not depend on who was first.
 *
 * arguments: [steps 40] [what is made 0: 0 a file by open, 1 a folder, 2 a file by fopen; 3 the
 * lock is a file that is renamed] [ranks that have their own files 0: all] [how often each takes
 * the lock in a step 1]
 *
 * ranks: 3
 * test: 40
 * pace: 2000
 */
#include <errno.h>
#include <sys/stat.h>
#include "program.h"

static char name[48];
static long way, each, rounds;

static const char *name_of(const char *what, long number)
{
    snprintf(name, sizeof name, "%s-%ld.%ld", what, number, rank / each);
    return name;
}

static int make_by_stream(const char *path)
{
    FILE *file = fopen(path, "wx");

    return file == NULL ? -1 : fclose(file);
}

static int make_by_open(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

    return fd < 0 ? -1 : close(fd);
}

static int make(const char *path)
{
    int code = way == 1 ? mkdir(path, 0700) : way == 2 ? make_by_stream(path) : make_by_open(path);

    check(code == 0 || errno == EEXIST, path, 0);
    return code == 0;
}

/* Renames the file of the group. */
static int give(const char *from, const char *to)
{
    char old[48];

    strcpy(old, name_of(from, 0));
    return rename(old, name_of(to, 0));
}

static int lock(void)
{
    return way == 3 ? give("token", "lock") == 0 : make(name_of("lock", 0));
}

static int unlock(void)
{
    return way == 3 ? give("lock", "token") : remove(name_of("lock", 0));
}

static void note(const char *path, int value)
{
    FILE *file = fopen(path, "a");

    check(file != NULL && fprintf(file, "%d\n", value) > 0 && fclose(file) == 0, path, value);
}

/* The sum of what was noted, of so many lines. */
static int noted(const char *path, int lines)
{
    FILE *file = fopen(path, "r");
    int sum = 0, value, count = 0;

    check(file != NULL, path, 0);
    for (; fscanf(file, "%d", &value) == 1; count++)
        sum += value;
    fclose(file);
    check(count == lines, path, count);
    return sum;
}

static void race(long number)
{
    int won = make(name_of("first", number)), all[2 * 16] = {0};
    int *sums = &all[rank / each * 2];

    if (won)
        note(name_of("early", number), rank);
    sums[0] = won;
    sums[1] = won * rank;
    MPI_Allreduce(MPI_IN_PLACE, all, 2 * 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    check(sums[0] == 1, "one winner", number);
    if (won)
        note(name_of("told", number), sums[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    check(noted(name_of("early", number), 1) == sums[1], "the winner that was told", number);
    check(noted(name_of("told", number), 1) == sums[1], "the same behind it", number);
}

static void take_turns(long number)
{
    int first = (int)(rank / each * each), lines = (int)each, sum = 0;

    for (int i = 0; i < lines; i++)
        sum += first + i;
    note(name_of("all", number), rank);
    for (long i = 0; i < rounds; i++) {
        while (!lock())
            usleep(200);
        note(name_of("turns", number), rank);
        check(unlock() == 0, "unlock", number);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check(noted(name_of("turns", number), lines * (int)rounds) == sum * (int)rounds, "all turns",
          number);
    check(noted(name_of("all", number), lines) == sum, "all notes", number);
}

/* Who was first depends on time: those files are no result. */
static void clear(long number)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank % each == 0)
        check(unlink(name_of("early", number)) == 0 && unlink(name_of("told", number)) == 0 &&
                  unlink(name_of("turns", number)) == 0 && unlink(name_of("all", number)) == 0,
              "unlink", number);
}

int main(int argc, char **argv)
{
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 40);
    way = argument(argc, argv, 2, 0);
    each = argument(argc, argv, 3, 0);
    each = each ? each : size;
    rounds = argument(argc, argv, 4, 1);
    if (way == 3 && rank % each == 0)
        note(name_of("token", 0), rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        MPI_Barrier(MPI_COMM_WORLD);
        race(number);
        take_turns(number);
        clear(number);
    }
    return program_end("locks", mix((uint64_t)steps));
}
