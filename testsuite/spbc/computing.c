/* compute: a rank computes for long without a call of MPI, while the others go on among
 * themselves, and some of them die.
 *
 * arguments: [work vector] [rounds 40]
 *
 * Rank 0 does the work, in rounds of some 10 ms; all others exchange with their neighbours, in as
 * many steps. Rank 0 goes on with rounds that nobody needs until the others have done their steps,
 * MOST of them: so they need not hurry, and it comes to MPI after them unless it holds them up.
 * Each round and step leaves a line "rank pid count" beside FT_TEST_MARKER, with raw system calls,
 * so that no failure takes it back. The kinds of work differ in what is on the stack, and in what
 * the processor, libc and the kernel hold, when the rank is interrupted.
 *
 * ranks: 4
 * test: vector 40
 * pace: 10000
 */
#include <errno.h>
#include <fenv.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <sys/select.h>
#include <sys/time.h>
#include "program.h"

#define TURNS 300000L /* of the inner loops in a round */
#define MOST 1000     /* rounds */
#define DEPTH 20000
#define BLOCKS 1024
#define CALL (SIGRTMAX - 7) /* the signal that ftrun would use */

static double now(void)
{
    struct timespec time;

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Appends to the file of this name beside the marker, and makes it. */
static void witness(const char *name, long count)
{
    const char *marker = getenv("FT_TEST_MARKER");
    char text[4096];
    int length, fd;

    if (!marker)
        return;
    snprintf(text, sizeof text, "%s.%s", marker, name);
    fd = (int)syscall(SYS_openat, AT_FDCWD, text, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    length = snprintf(text, sizeof text, "%d %ld %ld\n", rank, syscall(SYS_getpid), count);
    if (fd < 0 || syscall(SYS_write, fd, text, length) != length)
        abort();
    syscall(SYS_close, fd);
}

/* Has another rank still steps to do? */
static int others_work(void)
{
    const char *marker = getenv("FT_TEST_MARKER");
    char path[4096];

    for (int other = 1; marker && other < size; other++) {
        snprintf(path, sizeof path, "%s.done%d", marker, other);
        if (syscall(SYS_access, path, F_OK) != 0)
            return 1;
    }
    return 0;
}

/* Eight vectors and a long double, which stay in registers, under another rounding. */
typedef double four __attribute__((vector_size(32)));

#define VECTOR(name, how)                                                                          \
    how __attribute__((noinline)) static uint64_t name(uint64_t seed)                              \
    {                                                                                              \
        double s = (double)(seed >> 12) * 0x1p-52;                                                 \
        four a = {s, 1, 2, 3}, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6;   \
        four h = a + 7, sum;                                                                       \
        long double x = s;                                                                         \
                                                                                                   \
        for (long i = 1; i <= TURNS * 8; i++) {                                                    \
            a = a * 0.9 + b;                                                                       \
            b = b * 0.8 - c;                                                                       \
            c = c * 0.7 + d;                                                                       \
            d = d * 0.6 - e;                                                                       \
            e = e * 0.5 + f;                                                                       \
            f = f * 0.4 - g;                                                                       \
            g = g * 0.3 + h;                                                                       \
            h = h * 0.2 + 1 / (double)i;                                                           \
            x = x * 0.99L + 1 / (long double)i;                                                    \
        }                                                                                          \
        sum = a + b + c + d + e + f + g + h;                                                       \
        s = (double)x;                                                                             \
        return digest(digest(seed, &sum, sizeof sum), &s, sizeof s);                               \
    }

VECTOR(vector_wide, __attribute__((target("avx2"))))
VECTOR(vector_plain, )

static uint64_t vector(uint64_t seed)
{
    int old = fegetround();
    uint64_t value;

    fesetround(FE_UPWARD);
    value = __builtin_cpu_supports("avx2") ? vector_wide(seed) : vector_plain(seed);
    fesetround(old);
    return value;
}

/* All general registers but the two that hold the frame. */
static uint64_t registers(uint64_t seed)
{
    uint64_t a = seed, b = 1, c = 2, d = 3, count = TURNS * 10;

    __asm__ volatile("movq $5, %%r8; movq $6, %%r9; movq $7, %%r10; movq $8, %%r11\n\t"
                     "movq $9, %%r12; movq $10, %%r13; movq $11, %%r14; movq $12, %%r15\n"
                     "1: leaq 1(%[a],%%r8,2), %%r8\n\t"
                     "addq %%r8, %%r9; xorq %%r9, %%r10; addq %%r10, %%r11; xorq %%r11, %%r12\n\t"
                     "addq %%r12, %%r13; xorq %%r13, %%r14; rolq $7, %%r14; addq %%r14, %%r15\n\t"
                     "xorq %%r15, %[b]; addq %[b], %[c]; xorq %[c], %[d]; addq %[d], %[a]\n\t"
                     "decq %[count]; jnz 1b\n\t"
                     "addq %%r15, %[a]"
                     : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [count] "+r"(count)
                     :
                     : "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "cc");
    return mix(a ^ b ^ c ^ d);
}

/* The sine of libm, too. */
__attribute__((noinline)) static uint64_t deep(int depth, uint64_t seed)
{
    volatile uint64_t mine[4] = {seed, (uint64_t)depth, seed ^ 5, 3};
    double x = 0.5;

    if (depth > 0)
        return mix(deep(depth - 1, seed + 1) + mine[depth & 3]);
    for (long i = 0; i < TURNS * 2; i++)
        x = sin(x) + 0.5;
    return digest(seed, &x, sizeof x);
}

static uint64_t recursion(uint64_t seed)
{
    return deep(DEPTH, seed);
}

static uint64_t blocks(uint64_t seed)
{
    static uint64_t *block[BLOCKS];
    static size_t words[BLOCKS];

    for (long i = 0; i < TURNS; i++) {
        uint64_t draw = mix(seed + (uint64_t)i);
        int at = (int)(draw % BLOCKS);

        check(!block[at] || block[at][0] == (uint64_t)at + words[at], "content of a block", at);
        words[at] = 1 + (draw >> 32) % 300;
        if (draw & 1 << 20) {
            free(block[at]);
            block[at] = malloc(words[at] * 8);
        } else {
            block[at] = realloc(block[at], words[at] * 8);
        }
        block[at][words[at] - 1] = draw;
        block[at][0] = (uint64_t)at + words[at];
    }
    for (int at = 0; at < BLOCKS; at++)
        seed = mix(seed + (block[at] ? block[at][words[at] - 1] : 0));
    return seed;
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    for (int i = 0; i < 300; i++) {
        x = mix(x);
        y = mix(y);
    }
    return x < y ? -1 : x > y;
}

/* All of the time is spent in qsort's callback. */
static uint64_t sort(long rounds, uint64_t seed)
{
    size_t count = (size_t)rounds * 700;
    uint64_t *list = malloc(count * sizeof *list);

    for (size_t i = 0; i < count; i++)
        list[i] = mix(seed + i);
    qsort(list, count, sizeof *list, compare);
    seed = digest(seed, list, count * sizeof *list);
    free(list);
    return seed;
}

static void slept(int result, double since, double seconds)
{
    check(result == 0, "a sleep was interrupted", errno);
    check(now() - since >= seconds, "a sleep was short", (long)(1000 * (now() - since)));
}

static void sleeps(void)
{
    struct timespec one = {.tv_sec = 1};
    struct timeval some = {.tv_usec = 300000};
    double begin = now();

    slept(nanosleep(&one, NULL), begin, 1);
    begin = now();
    slept(poll(NULL, 0, 300), begin, 0.3);
    begin = now();
    slept(select(0, NULL, NULL, NULL, &some), begin, 0.3);
    begin = now();
    slept(usleep(300000), begin, 0.3);
}

static volatile sig_atomic_t rung;
static long armed;

static void ring(int number)
{
    (void)number;
    rung++;
}

/* A timer that goes off once, set again when it has: it may never go off twice. */
static uint64_t alarms(uint64_t seed)
{
    struct itimerval soon = {.it_value = {.tv_usec = 15000}};

    check(rung <= armed, "a timer has gone off twice", rung);
    if (rung == armed) {
        signal(SIGALRM, ring);
        armed++;
        setitimer(ITIMER_REAL, &soon, NULL);
    }
    return vector(seed);
}

/* The result is that of the first `rounds`. One that cannot be called waits for nobody. */
static uint64_t rounds_of(uint64_t (*round)(uint64_t), long rounds, int waits)
{
    uint64_t seed = 1, value = 1;
    long i;

    for (i = 0; i < rounds || (waits && i < MOST && others_work()); i++) {
        witness("trace", i);
        seed = round(seed);
        value = i < rounds ? seed : value;
    }
    witness("trace", i);
    return value;
}

static uint64_t work(const char *kind, long rounds)
{
    static const struct {
        const char *name;
        uint64_t (*round)(uint64_t seed);
    } kinds[] = {{"vector", vector}, {"registers", registers}, {"recursion", recursion},
                 {"blocks", blocks}, {"alarms", alarms},       {"own", vector}};
    uint64_t seed = 1;

    if (!strcmp(kind, "own"))
        signal(CALL, ring);
    if (!strcmp(kind, "sort"))
        return sort(rounds, seed);
    if (!strcmp(kind, "sleeps"))
        sleeps();
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (!strcmp(kind, kinds[k].name))
            seed = rounds_of(kinds[k].round, rounds, strcmp(kind, "own") != 0);
    check(strcmp(kind, "own") || !rung, "ftrun uses a signal of the program", rung);
    return seed;
}

static uint64_t others(MPI_Comm comm, long steps)
{
    uint64_t mine = (uint64_t)rank, theirs;
    char done[16];
    int me, all;

    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    for (long number = 1; number <= steps; number++) {
        step(number);
        witness("trace", number);
        MPI_Sendrecv(&mine, 1, MPI_UINT64_T, (me + 1) % all, 1, &theirs, 1, MPI_UINT64_T,
                     (me + all - 1) % all, 1, comm, MPI_STATUS_IGNORE);
        mine = mix(mine + theirs);
    }
    snprintf(done, sizeof done, "done%d", rank);
    witness(done, steps);
    return mine;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "vector";
    uint64_t value;
    MPI_Comm comm;

    program_start(&argc, &argv);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &comm);
    value =
        rank ? others(comm, argument(argc, argv, 2, 40)) : work(kind, argument(argc, argv, 2, 40));
    return program_end("compute", value);
}
