/* stopwatch: reads clocks and random numbers between calls of MPI of all kinds, and lets them
 * decide what is sent. A seed decides which calls there are, and how clocks are read in front of
 * each: not at all, once, some times, or again and again until time has passed. Each rank sends
 * digests of what it has read to a partner in the other half of the ranks, in messages whose
 * number, length and tag come out of them, too; the partner returns the digest a step later, and
 * the rank checks it against its own. So a rank that reads another number when it does a step again
 * is found out, and the output is the same in all runs.
 *
 * arguments: [steps 60] [seed 1] [longest loop, microseconds 3000]
 *
 * ranks: 4
 * test: 40 1 6000
 * soak: 30 1 8000
 * pace: 2000
 * options: --checkpoint-interval 0.3
 */
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include "draw.h"

enum { MOST = 16, LOOSE = 40, ECHO = 50, HEAD = 51, WORK = 60 };

static uint64_t evidence; /* digest of what was read in this step */
static long longest;      /* microseconds */
static MPI_Comm pair;     /* of two ranks, one in each half */
static MPI_Request channel[2];
static uint64_t channel_in, channel_out, result;

static uint64_t moment(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void note(uint64_t value)
{
    evidence = mix(evidence ^ value);
}

static uint64_t bits(double value)
{
    uint64_t number;

    memcpy(&number, &value, sizeof number);
    return number;
}

/* One reading of a clock or a random number. */
static uint64_t reading(int kind)
{
    uint64_t number = 0;
    struct timeval day;
    struct timespec base;
    struct tms used;
    struct rusage usage;

    switch (kind % 12) {
    case 0:
        return moment(CLOCK_MONOTONIC);
    case 1:
        return moment(CLOCK_REALTIME);
    case 2:
        return moment(CLOCK_THREAD_CPUTIME_ID);
    case 3:
        return moment(CLOCK_PROCESS_CPUTIME_ID);
    case 4:
        gettimeofday(&day, NULL);
        return (uint64_t)day.tv_sec * 1000000 + (uint64_t)day.tv_usec;
    case 5:
        return (uint64_t)time(NULL);
    case 6:
        timespec_get(&base, TIME_UTC);
        return (uint64_t)base.tv_nsec;
    case 7:
        return (uint64_t)clock();
    case 8:
        return (uint64_t)times(&used);
    case 9:
        getrusage(RUSAGE_SELF, &usage);
        return (uint64_t)usage.ru_utime.tv_usec;
    case 10:
        check(getrandom(&number, sizeof number, 0) == sizeof number, "getrandom", 0);
        return number;
    default:
        return bits(MPI_Wtime());
    }
}

/* Reads a clock until so many nanoseconds have passed; all readings count, and their number. */
static void spin(clockid_t clock, uint64_t nanoseconds)
{
    uint64_t start = moment(clock), now, last = start, count = 0;

    do {
        now = moment(clock);
        check(now >= last, "the clock goes on", (long)count);
        evidence = (evidence ^ now) * 0x100000001b3u;
        last = now;
        count++;
    } while (now - start < nanoseconds);
    note(count);
}

static void spin_wtime(double seconds)
{
    double start = MPI_Wtime(), now;

    do {
        now = MPI_Wtime();
        evidence = (evidence ^ bits(now)) * 0x100000001b3u;
    } while (now - start < seconds);
}

static void spin_two(uint64_t nanoseconds)
{
    uint64_t start = moment(CLOCK_MONOTONIC);

    while (moment(CLOCK_MONOTONIC) - start < nanoseconds)
        note(moment(CLOCK_REALTIME));
}

static void clocks_read(void)
{
    uint64_t passes = (uint64_t)longest * (uint64_t)(1 + draw_own(1000));

    switch (draw_own(10)) {
    case 0:
        spin(CLOCK_MONOTONIC, passes);
        break;
    case 1:
        spin(CLOCK_REALTIME, passes / 2);
        break;
    case 2:
        spin_wtime((double)passes * 1e-9);
        break;
    case 3:
        spin(CLOCK_THREAD_CPUTIME_ID, passes / 4);
        break;
    case 4:
        spin_two(passes / 4);
        break;
    case 5:
    case 6:
        for (int i = draw_own(20); i >= 0; i--)
            note(reading(draw_own(12)));
        break;
    case 7:
        note(reading(draw_own(12)));
        break;
    default:
        break;
    }
}

static void use(const void *data, size_t bytes)
{
    result = digest(result, data, bytes);
}

static void do_channel(int partner)
{
    (void)partner;
    channel_out = mix(result);
    MPI_Startall(2, channel);
    clocks_read();
    MPI_Waitall(2, channel, MPI_STATUSES_IGNORE);
    use(&channel_in, sizeof channel_in);
}

/* Two messages from anybody: here from both neighbours, and the order does not count. */
static void do_loose(int partner)
{
    uint64_t got[2], out = mix(result);
    MPI_Request sends[2];

    (void)partner;
    MPI_Isend(&out, 1, MPI_UINT64_T, (rank + 1) % size, LOOSE, MPI_COMM_WORLD, &sends[0]);
    MPI_Isend(&out, 1, MPI_UINT64_T, (rank + size - 1) % size, LOOSE, MPI_COMM_WORLD, &sends[1]);
    clocks_read();
    for (int i = 0; i < 2; i++) {
        MPI_Recv(&got[i], 1, MPI_UINT64_T, MPI_ANY_SOURCE, LOOSE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
        if (i == 0)
            clocks_read();
    }
    MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    got[0] += got[1];
    use(got, sizeof *got);
    MPI_Barrier(MPI_COMM_WORLD); /* a neighbour's next messages are of the next round */
}

/* Polls beside a clock, until the message is there; both count. */
static void do_test(int partner)
{
    uint64_t got, out = mix(result), start = moment(CLOCK_MONOTONIC), polls = 0;
    MPI_Request requests[2];
    int flag = 0;

    MPI_Irecv(&got, 1, MPI_UINT64_T, partner, WORK, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(&out, 1, MPI_UINT64_T, partner, WORK, MPI_COMM_WORLD, &requests[1]);
    while (!flag) {
        MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        polls++;
        if (moment(CLOCK_MONOTONIC) - start > 200000)
            note(polls);
    }
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    note(polls);
    use(&got, sizeof got);
}

static void do_iprobe(int partner)
{
    uint64_t got, out = mix(result);
    double start = MPI_Wtime(), end = start;
    MPI_Request request;
    int flag = 0;

    MPI_Isend(&out, 1, MPI_UINT64_T, partner, WORK, MPI_COMM_WORLD, &request);
    while (!flag) {
        MPI_Iprobe(MPI_ANY_SOURCE, WORK, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        end = MPI_Wtime();
    }
    note(bits(end - start));
    MPI_Recv(&got, 1, MPI_UINT64_T, partner, WORK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(&got, sizeof got);
}

/* Requests that are complete in any order, by one of the calls that choose. */
static void do_some(int partner, int way)
{
    uint64_t got[3], out[3], sum = 0;
    MPI_Request receives[3], sends[3];
    int index[3], count, flag, left = 3;

    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&got[i], 1, MPI_UINT64_T, partner, WORK + i, MPI_COMM_WORLD, &receives[i]);
        out[i] = mix(result + (uint64_t)i);
    }
    for (int i = 2; i >= 0; i--) {
        clocks_read();
        MPI_Isend(&out[i], 1, MPI_UINT64_T, partner, WORK + i, MPI_COMM_WORLD, &sends[i]);
    }
    while (left > 0) {
        count = flag = 1;
        if (way == 0)
            MPI_Waitany(3, receives, index, MPI_STATUS_IGNORE);
        else if (way == 1)
            MPI_Waitsome(3, receives, &count, index, MPI_STATUSES_IGNORE);
        else if (way == 2)
            MPI_Testany(3, receives, index, &flag, MPI_STATUS_IGNORE);
        else
            MPI_Testsome(3, receives, &count, index, MPI_STATUSES_IGNORE);
        for (int i = 0; flag && i < count; i++, left--) {
            note((uint64_t)index[i] ^ moment(CLOCK_REALTIME));
            sum += got[index[i]];
        }
    }
    MPI_Waitall(3, sends, MPI_STATUSES_IGNORE);
    use(&sum, sizeof sum);
}

/* The library calls this as often and whenever it likes: what is read here is no outcome. */
static void with_clock(void *in, void *out, int *count, MPI_Datatype *type)
{
    struct timespec now;

    (void)type;
    clock_gettime(CLOCK_MONOTONIC, &now);
    for (int i = 0; i < *count; i++)
        ((uint64_t *)out)[i] += ((uint64_t *)in)[i] + (now.tv_sec < 0);
}

static void do_collective(int way)
{
    uint64_t in = mix(result), out = 0, all[MOST];
    MPI_Request request;
    MPI_Op op;
    int flag = 0;

    switch (way) {
    case 0:
        MPI_Barrier(MPI_COMM_WORLD);
        break;
    case 1:
        MPI_Allreduce(&in, &out, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
        break;
    case 2:
        MPI_Reduce(&in, &out, 1, MPI_UINT64_T, MPI_SUM, 0, pair);
        clocks_read();
        MPI_Bcast(&out, 1, MPI_UINT64_T, 0, pair);
        break;
    case 3:
        MPI_Allgather(&in, 1, MPI_UINT64_T, all, 1, MPI_UINT64_T, MPI_COMM_WORLD);
        out = digest(0, all, (size_t)size * sizeof *all);
        break;
    case 4:
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        while (!flag) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            note(moment(CLOCK_MONOTONIC));
        }
        break;
    case 5:
        MPI_Iallreduce(&in, &out, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD, &request);
        clocks_read();
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 6:
        MPI_Op_create(with_clock, 1, &op);
        MPI_Allreduce(&in, &out, 1, MPI_UINT64_T, op, MPI_COMM_WORLD);
        MPI_Op_free(&op);
        break;
    default:
        MPI_Scan(&in, &out, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
        clocks_read();
        MPI_Alltoall(&out, 1, MPI_UINT8_T, all, 1, MPI_UINT8_T, pair);
        break;
    }
    use(&out, sizeof out);
}

static void do_births(void)
{
    uint64_t in = result, out = 0;
    MPI_Comm made;

    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    clocks_read();
    MPI_Allreduce(&in, &out, 1, MPI_UINT64_T, MPI_SUM, made);
    clocks_read();
    MPI_Comm_free(&made);
    use(&out, sizeof out);
}

static void do_probe(int partner)
{
    uint64_t got, out = mix(result);
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    MPI_Isend(&out, 1, MPI_UINT64_T, partner, WORK, MPI_COMM_WORLD, &request);
    clocks_read();
    MPI_Mprobe(MPI_ANY_SOURCE, WORK, MPI_COMM_WORLD, &message, &status);
    clocks_read();
    MPI_Mrecv(&got, 1, MPI_UINT64_T, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(&got, sizeof got);
}

static void work(int partner)
{
    int kind = draw(20);

    clocks_read();
    if (kind < 3)
        do_channel(partner);
    else if (kind < 5)
        do_loose(partner);
    else if (kind == 5)
        do_test(partner);
    else if (kind == 6)
        do_iprobe(partner);
    else if (kind < 9)
        do_some(partner, draw(4));
    else if (kind == 9)
        do_births();
    else if (kind == 10)
        do_probe(partner);
    else
        do_collective(draw(8));
    clocks_read();
}

/* Sends the evidence of this step, and gets back that of the step before. */
static void echo(int partner, long number)
{
    static uint64_t before, theirs;
    uint64_t mine = evidence, data[MOST], back;
    int shape[3] = {1 + (int)(mine % 3), 1 + (int)(mine >> 8 & 7), (int)(mine >> 16 & 3)}, other[3];

    MPI_Sendrecv(shape, 3, MPI_INT, partner, HEAD, other, 3, MPI_INT, partner, HEAD, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < MOST; i++)
        data[i] = mix(mine + (uint64_t)i);
    for (int i = 0; i < shape[0]; i++)
        MPI_Send(data, shape[1], MPI_UINT64_T, partner, WORK + shape[2], MPI_COMM_WORLD);
    MPI_Sendrecv(&theirs, 1, MPI_UINT64_T, partner, ECHO, &back, 1, MPI_UINT64_T, partner, ECHO,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(back == before, "another number was read than before", number);
    for (int i = 0; i < other[0]; i++)
        MPI_Recv(data, MOST, MPI_UINT64_T, partner, WORK + other[2], MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    before = mix(mine);
    theirs = data[0];
}

int main(int argc, char **argv)
{
    long steps;
    int partner;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    seed = (uint64_t)argument(argc, argv, 2, 1);
    longest = argument(argc, argv, 3, 3000);
    partner = (rank + size / 2) % size;
    MPI_Comm_split(MPI_COMM_WORLD, rank % (size / 2), rank, &pair);
    MPI_Send_init(&channel_out, 1, MPI_UINT64_T, (rank + 1) % size, 1, MPI_COMM_WORLD, &channel[0]);
    MPI_Recv_init(&channel_in, 1, MPI_UINT64_T, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
                  &channel[1]);
    for (long number = 1; number <= steps; number++) {
        step(number);
        evidence = 0;
        for (int i = draw(5); i >= 0; i--)
            work(partner);
        echo(partner, number);
    }
    MPI_Request_free(&channel[0]);
    MPI_Request_free(&channel[1]);
    MPI_Comm_free(&pair);
    return program_end("stopwatch", result);
}
