/* once: rank 0 makes a folder and writes a file in it; after a checkpoint all ranks read the file
 * in each step, and each writes a file of its own in the folder.
 *
 * arguments: [steps 60] [written in step 5] [read from step 25 on]
 *
 * ranks: 4
 * test: 60 5 25
 * pace: 3000
 */
#include <errno.h>
#include <sys/stat.h>
#include "program.h"

static void write_once(void)
{
    FILE *file;

    check(mkdir("out", 0700) == 0 || errno == EEXIST, "mkdir", rank);
    if (rank != 0)
        return;
    file = fopen("out/once", "w");
    check(file != NULL && fputs("once and for all\n", file) >= 0 && fclose(file) == 0, "once", 0);
}

static uint64_t read_once(long number)
{
    char text[64] = "";
    FILE *file = fopen("out/once", "r");

    check(file != NULL && fgets(text, sizeof text, file) != NULL, "to read", number);
    fclose(file);
    check(strcmp(text, "once and for all\n") == 0, "content", number);
    return digest(0, text, strlen(text));
}

static void write_own(long number)
{
    char name[32];
    FILE *file;

    snprintf(name, sizeof name, "out/own.%d", rank);
    file = fopen(name, "a");
    check(file != NULL && fprintf(file, "step %ld\n", number) > 0 && fclose(file) == 0, name, 0);
}

/* Until there is the one of all ranks, behind those of the start. Natively nobody waits. The sleeps
 * are safe points. */
static void await_checkpoints(void)
{
    for (int i = 0; getenv("FT_TEST_EVENTS") && i < 2000; i++) {
        if (events_seen("\"checkpoint-commit\"") > size || events_seen("\"rollback\""))
            return;
        usleep(5000);
    }
}

int main(int argc, char **argv)
{
    long steps, written, read;
    uint64_t state;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 60);
    written = argument(argc, argv, 2, 5);
    read = argument(argc, argv, 3, 25);
    state = (uint64_t)rank;
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state, 0);
        if (number == written)
            write_once();
        if (number == read)
            await_checkpoints();
        if (number >= read) {
            state = mix(state ^ read_once(number));
            write_own(number);
        }
    }
    return program_end("once", state);
}
