/* libc_work: threads, children and signals inside a step: a pthread, a C11 thread, fork and wait,
 * system, popen, a pipe, an alarm that goes off, a handler that jumps out. All have ended when the
 * step ends, so every hook is a safe point.
 *
 * arguments: [steps 100]
 *
 * ranks: 2
 * test: 80
 * soak: 300
 * pace: 5000
 * kill: 1@hook:40
 * kill: 0@hook:20 1@hook:60
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <threads.h>
#include "program.h"

static sigjmp_buf place;
static volatile sig_atomic_t ticks;

static void on_tick(int number)
{
    ticks += number == SIGALRM;
}

static void on_user(int number)
{
    siglongjmp(place, number);
}

static void *square(void *argument)
{
    long *value = malloc(sizeof *value);

    *value = (long)argument * (long)argument;
    return value;
}

static int cube(void *argument)
{
    return (int)((long)argument * (long)argument * (long)argument);
}

static uint64_t threads_run(long number)
{
    pthread_t thread;
    thrd_t other;
    void *result;
    long value;
    int code;

    pthread_create(&thread, NULL, square, (void *)number);
    thrd_create(&other, cube, (void *)number);
    pthread_join(thread, &result);
    thrd_join(other, &code);
    value = *(long *)result + code;
    free(result);
    return (uint64_t)value;
}

static uint64_t children_run(long number)
{
    char command[64], line[64] = "";
    int status = 0, ends[2];
    pid_t child;
    FILE *stream;

    check(pipe(ends) == 0, "pipe", number);
    fflush(NULL);
    child = fork();
    if (child == 0) {
        long value = number * rand();

        check(write(ends[1], &value, sizeof value) == sizeof value, "child", number);
        _exit((int)(number % 100));
    } else {
        long value = 0, expected = number;
        check(read(ends[0], &value, sizeof value) == sizeof value, "pipe", number);
        expected *= rand();
        check(value == expected, "rand of a child", number);
    }
    close(ends[0]);
    close(ends[1]);
    check(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == number % 100, "wait",
          number);
    if (number % 10 != 0)
        return (uint64_t)status;
    snprintf(command, sizeof command, "exit %ld", number % 50);
    status = system(command);
    snprintf(command, sizeof command, "echo $((%ld * 3))", number);
    stream = popen(command, "r");
    check(stream != NULL && fgets(line, sizeof line, stream) != NULL, "popen", number);
    pclose(stream);
    return digest((uint64_t)status, line, strlen(line));
}

static void signals_run(long number)
{
    int seen = sigsetjmp(place, 1);

    if (seen == 0)
        raise(SIGUSR2);
    check(seen == SIGUSR2, "siglongjmp", number);
    check(number < 40 || ticks > 0, "setitimer", number);
}

int main(int argc, char **argv)
{
    struct itimerval often = {{0, 20000}, {0, 20000}};
    uint64_t state = 0, out;
    struct sigaction action = {.sa_handler = on_tick, .sa_flags = SA_RESTART};
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 100);
    sigaction(SIGALRM, &action, NULL);
    signal(SIGUSR2, on_user);
    setitimer(ITIMER_REAL, &often, NULL);
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state + threads_run(number) + children_run(number));
        signals_run(number);
        out = state;
        MPI_Allreduce(MPI_IN_PLACE, &out, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        state ^= out;
    }
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    return program_end("libc_work", state);
}
