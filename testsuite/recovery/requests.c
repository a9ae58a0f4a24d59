/* requests: asynchronous requests overwrite a file while the ranks compute: of each step a write, a
 * list of two, a sync and a read, which are over at the step's end, or behind the next one's MPI
 * calls.
 *
 * arguments: [steps 60]
 *
 * ranks: 2
 * test: 60
 * pace: 5000
 */
#include <aio.h>
#include <errno.h>
#include "program.h"

#define PART 4096

static char out[3][PART], in[PART];
static struct aiocb blocks[3], reading, syncing;
static int fd;

static void block_set(struct aiocb *block, char *bytes, int part, int opcode)
{
    memset(block, 0, sizeof *block);
    block->aio_fildes = fd;
    block->aio_buf = bytes;
    block->aio_nbytes = PART;
    block->aio_offset = (off_t)part * PART;
    block->aio_lio_opcode = opcode;
}

static void block_await(struct aiocb *block, long bytes, long number)
{
    const struct aiocb *list[] = {block};

    while (aio_error(block) == EINPROGRESS)
        aio_suspend(list, 1, NULL);
    check(aio_error(block) == 0 && aio_return(block) == bytes, "a request", number);
}

static void requests_begin(long number)
{
    struct aiocb *list[] = {&blocks[1], NULL, &blocks[2]};

    for (int i = 0; i < 3; i++) {
        memset(out[i], (int)(number + i), PART);
        block_set(&blocks[i], out[i], i, LIO_WRITE);
    }
    check(aio_write(&blocks[0]) == 0, "aio_write", number);
    check(lio_listio(LIO_NOWAIT, list, 3, NULL) == 0, "lio_listio", number);
}

static void requests_end(long number)
{
    for (int i = 0; i < 3; i++)
        block_await(&blocks[i], PART, number);
    block_set(&syncing, NULL, 0, 0);
    check(aio_fsync(O_DSYNC, &syncing) == 0, "aio_fsync", number);
    block_await(&syncing, 0, number);
}

static void file_check(long number)
{
    for (int i = 0; i < 3; i++) {
        block_set(&reading, in, i, LIO_READ);
        check(aio_read(&reading) == 0, "aio_read", number);
        block_await(&reading, PART, number);
        check(in[0] == (char)(number + i) && in[PART - 1] == in[0], "the file", number);
    }
}

int main(int argc, char **argv)
{
    uint64_t state;
    char name[32];
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    snprintf(name, sizeof name, "requests.%d", rank);
    fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0600);
    state = mix((uint64_t)rank);
    for (long number = 1; number <= steps; number++) {
        step(number);
        if (number > 1)
            file_check(number - 1);
        requests_begin(number);
        if (number % 2)
            state = ring_shift(state, 0);
        requests_end(number);
        state = ring_shift(state, 0);
    }
    close(fd);
    return program_end("requests", state);
}
