/* clocks: what each rank sends, how much of it, with which tag and in how many messages, comes from
 * clocks and random numbers. Each prints digests of what it has sent to its partner in the other
 * half of the ranks, and of what it has got from there.
 *
 * ranks: 4
 * test: 100
 * pace: 2000
 */
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include "program.h"

#define MOST 64
#define HEAD 99

struct head {
    int count, length, tag;
};

static int device;
static FILE *stream;

static uint64_t seconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static uint64_t clocks_read(void)
{
    struct timeval day, *volatile none = NULL;
    struct timezone zone;
    struct timespec base;
    struct tms used;
    struct rusage usage;
    uint64_t seed = seconds(CLOCK_REALTIME);

    seed = mix(seed ^ seconds(CLOCK_MONOTONIC));
    seed = mix(seed ^ seconds(CLOCK_PROCESS_CPUTIME_ID));
    gettimeofday(&day, NULL);
    check(gettimeofday(none, &zone) == 0, "the zone alone", 0);
    seed = mix(seed ^ (uint64_t)day.tv_usec);
    seed = mix(seed ^ (uint64_t)time(NULL));
    timespec_get(&base, TIME_UTC);
    seed = mix(seed ^ (uint64_t)base.tv_nsec);
    seed = mix(seed ^ (uint64_t)clock());
    seed = mix(seed ^ (uint64_t)times(&used));
    getrusage(RUSAGE_SELF, &usage);
    return mix(seed ^ (uint64_t)usage.ru_utime.tv_usec ^ (uint64_t)usage.ru_minflt << 32);
}

static uint64_t random_read(void)
{
    uint64_t seed = 0, number = 0;
    char bytes[100];

    check(getrandom(&seed, sizeof seed, 0) == sizeof seed, "getrandom", 0);
    check(getentropy(bytes, sizeof bytes) == 0, "getentropy", 0);
    seed = digest(seed, bytes, sizeof bytes);
    seed = mix(seed ^ arc4random() ^ (uint64_t)arc4random_uniform(1000) << 32);
    arc4random_buf(bytes, sizeof bytes);
    seed = digest(seed, bytes, sizeof bytes);
    check(read(device, &number, sizeof number) == sizeof number, "read", 0);
    seed = mix(seed ^ number);
    check(fread(&number, sizeof number, 1, stream) == 1, "fread", 0);
    return mix(seed ^ number);
}

static uint64_t messages_send(int partner, uint64_t *sent)
{
    uint64_t seed = mix(clocks_read() ^ random_read()), data[MOST];
    struct head head = {1 + (int)(seed % 3), 1 + (int)(seed >> 8) % MOST, (int)(seed >> 20) % 5};

    if (head.length < 1)
        head.length += MOST;
    if (head.tag < 0)
        head.tag += 5;
    MPI_Send(&head, sizeof head, MPI_BYTE, partner, HEAD, MPI_COMM_WORLD);
    for (int i = 0; i < head.count; i++) {
        for (int k = 0; k < head.length; k++)
            data[k] = seed = mix(seed);
        *sent = digest(*sent, data, (size_t)head.length * sizeof *data);
        MPI_Send(data, head.length, MPI_UINT64_T, partner, head.tag, MPI_COMM_WORLD);
    }
    return seed;
}

static void messages_receive(int partner, uint64_t *got)
{
    struct head head;
    uint64_t data[MOST];

    MPI_Recv(&head, sizeof head, MPI_BYTE, partner, HEAD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < head.count; i++) {
        MPI_Recv(data, MOST, MPI_UINT64_T, partner, head.tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        *got = digest(*got, data, (size_t)head.length * sizeof *data);
    }
}

int main(int argc, char **argv)
{
    uint64_t sent = 0, got = 0, before = 0;
    long steps = argument(argc, argv, 1, 100);
    int partner;

    program_start(&argc, &argv);
    partner = (rank + size / 2) % size;
    device = open("/dev/urandom", O_RDONLY);
    stream = fopen("/dev/random", "rb");
    for (long number = 1; number <= steps; number++) {
        uint64_t now = seconds(CLOCK_MONOTONIC);

        step(number);
        check(now >= before, "the clock goes on", number);
        before = now;
        messages_send(partner, &sent);
        messages_receive(partner, &got);
        if (number % 10)
            continue;
        printf("%d>%d %ld %016llx\n", rank, partner, number, (unsigned long long)sent);
        printf("%d>%d %ld %016llx\n", partner, rank, number, (unsigned long long)got);
        fflush(stdout);
    }
    return program_end("clocks", 0);
}
