/* wrong: a program that does what the harness must notice.
 *
 * arguments: none | print | stderr | file | code | shared | temporary | orphan | segment | hang |
 * step | crash | other
 *
 * ranks: 2
 * test: print
 */
#include <signal.h>
#include <sys/shm.h>
#include <sys/wait.h>
#include "program.h"

static void shared_leave(void)
{
    char name[64];
    int fd;

    snprintf(name, sizeof(name), "/dev/shm/wrong.%d", (int)getpid());
    fd = open(name, O_CREAT | O_RDWR, 0600);
    check(fd >= 0, "open", 0);
    close(fd);
}

static void temporary_leave(void)
{
    char name[512];
    FILE *file;

    snprintf(name, sizeof(name), "%s/wrong.%d", getenv("TMPDIR"), rank);
    file = fopen(name, "w");
    check(file != NULL, "fopen", 0);
    fclose(file);
}

/* Where it works. */
static void file_leave(void)
{
    FILE *file = fopen("more", "w");

    check(file != NULL, "fopen", 0);
    fclose(file);
}

/* A grandchild in a session of its own outlives the rank. */
static void orphan_leave(void)
{
    if (fork() == 0) {
        setsid();
        syscall(SYS_close_range, 0, ~0U, 0);
        if (fork() == 0)
            execlp("sleep", "sleep", "30", (char *)NULL);
        _exit(0);
    }
}

/* By a process that nobody knows. */
static void segment_leave(void)
{
    pid_t pid = fork();

    if (pid == 0) {
        shmget(IPC_PRIVATE, 12289, IPC_CREAT | 0600);
        pause_us(100000);
        _exit(0);
    }
    waitpid(pid, NULL, 0);
}

/* Once, and not as programs do that are meant to (death_due), but with raw system calls, too. */
static void crash(void)
{
    char name[4096];

    snprintf(name, sizeof(name), "%s.crashed", getenv("FT_TEST_STEPS"));
    if (syscall(SYS_openat, AT_FDCWD, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600) >= 0)
        raise(SIGSEGV);
}

/* A line that is another one when it is printed again. */
static void other_print(void)
{
    printf("%d\n", (int)syscall(SYS_getpid));
    fflush(stdout);
    if (death_due())
        raise(SIGKILL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "print";
    int under = getenv("FT_TEST_STEPS") != NULL; /* the harness sets it for the run it judges */

    program_start(&argc, &argv);
    step(1);
    if (under && !strcmp(what, "shared"))
        shared_leave();
    else if (under && !strcmp(what, "temporary"))
        temporary_leave();
    else if (under && !strcmp(what, "orphan") && rank == 0)
        orphan_leave();
    else if (under && !strcmp(what, "segment") && rank == 0)
        segment_leave();
    else if (under && !strcmp(what, "file") && rank == 0)
        file_leave();
    else if (under && !strcmp(what, "stderr") && rank == 0)
        fprintf(stderr, "wrong: a line more\n");
    else if (under && !strcmp(what, "crash") && rank == 0)
        crash();
    else if (under && !strcmp(what, "other") && rank == 0)
        other_print();
    else if (under && !strcmp(what, "hang"))
        pause_us(600 * 1000000L);
    step(under && !strcmp(what, "step") ? 3 : 2);
    program_end("wrong", under && !strcmp(what, "print") ? (uint64_t)getpid() : 1);
    return under && !strcmp(what, "code") ? 3 : 0;
}
