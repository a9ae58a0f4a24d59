/* mappings: memory of mmap in states that an image must follow: written and then protected, and a
 * file mapped over it (MAP_FIXED), of which most is looked at only at the end; kept from children.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 100
 * soak: 300
 * pace: 4000
 * kill: 1@hook:60
 * kill: 0@hook:40 1@hook:85
 */
#include <sys/mman.h>
#include "program.h"

#define PAGE 4096UL

static char *map(size_t bytes)
{
    char *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    check(at != MAP_FAILED, "mmap", (long)bytes);
    return at;
}

static uint64_t *closed;

/* Open only in a step, while nobody takes an image. */
static uint64_t closed_look(long number)
{
    uint64_t value;

    if (!closed)
        closed = (void *)map(4 * PAGE);
    check(mprotect(closed, 4 * PAGE, PROT_READ | PROT_WRITE) == 0, "mprotect", number);
    value = closed[1000] = mix(closed[1000] + (uint64_t)(number * 2 + rank));
    check(mprotect(closed, 4 * PAGE, number % 2 ? PROT_NONE : PROT_WRITE) == 0, "mprotect", number);
    return value;
}

#define FILE_PAGES 100

/* The file is gone at once: what the rank has of it is in its memory. */
static char *file_map(void)
{
    FILE *file = tmpfile();
    char *at = map((FILE_PAGES + 2) * PAGE), *page;

    for (int i = 0; i < FILE_PAGES * (int)PAGE; i++)
        fputc('a' + (rank * 7 + i / (int)PAGE + i) % 26, file);
    fflush(file);
    page = mmap(at + PAGE, FILE_PAGES * PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fileno(file), 0);
    check(page == at + PAGE, "mmap of a file", 0);
    check(madvise(at, PAGE, MADV_DONTFORK) == 0, "madvise", 0);
    check(madvise(at + (FILE_PAGES + 1) * PAGE, PAGE, MADV_WIPEONFORK) == 0, "madvise", 1);
    memset(at, 'd', PAGE);
    memset(at + (FILE_PAGES + 1) * PAGE, 'w', PAGE);
    fclose(file);
    return at;
}

int main(int argc, char **argv)
{
    uint64_t state = 1;
    char *file;
    long steps;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    file = file_map();
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = ring_shift(state ^ closed_look(number), 7);
    }
    return program_end("mappings", digest(state, file, (FILE_PAGES + 2) * PAGE));
}
