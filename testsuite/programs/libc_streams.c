/* libc_streams: streams of every kind are open across failures: half a line in a buffer, a file
 * read half, one for update, one without a name, a stream in memory, one over callbacks
 * (fopencookie), one of wide characters, an ungetc, a folder being read. The content of each is
 * printed or compared.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 120
 * soak: 500
 * pace: 5000
 * kill: 1@hook:60
 * kill: 0@hook:40 1@hook:90
 */
#include <dirent.h>
#include <sys/stat.h>
#include <wchar.h>
#include "program.h"

static FILE *lines, *update, *nameless, *memory, *cookie, *wide, *reader;
static char *memory_text;
static size_t memory_length;
static char cookie_text[65536];
static size_t cookie_length;
static DIR *folder;

static ssize_t cookie_write(void *where, const char *bytes, size_t length)
{
    size_t *at = where;

    memcpy(cookie_text + *at, bytes, length);
    *at += length;
    return (ssize_t)length;
}

static FILE *file_open(const char *what, const char *mode)
{
    char name[64];
    FILE *file;

    snprintf(name, sizeof name, "%s.%d", what, rank);
    file = fopen(name, mode);
    check(file != NULL, name, 0);
    return file;
}

static void streams_open(void)
{
    char name[64];

    lines = file_open("lines", "w");
    update = file_open("update", "w+");
    for (int i = 0; i < 400; i++)
        fprintf(update, "%03d;", i);
    nameless = tmpfile();
    memory = open_memstream(&memory_text, &memory_length);
    cookie = fopencookie(&cookie_length, "w", (cookie_io_functions_t){.write = cookie_write});
    wide = file_open("wide", "w+");
    reader = file_open("input", "w+");
    for (int i = 0; i < 5000; i++)
        fprintf(reader, "%d ", i * 7);
    rewind(reader);
    snprintf(name, sizeof name, "many.%d", rank);
    check(mkdir(name, 0755) == 0, "mkdir", 0);
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof name, "many.%d/%d", rank, i);
        fclose(fopen(name, "w"));
    }
    snprintf(name, sizeof name, "many.%d", rank);
    folder = opendir(name);
}

/* One number of a file that is read slowly, with a character given back. */
static uint64_t read_some(void)
{
    int value = -1, next;

    if (fscanf(reader, "%d", &value) != 1)
        return 0;
    next = getc(reader);
    ungetc(next == ' ' ? 'x' : next, reader);
    return (uint64_t)value * 3 + (uint64_t)getc(reader);
}

static uint64_t update_some(long number)
{
    char text[8] = "";

    fseek(update, number % 300 * 4, SEEK_SET);
    fprintf(update, "%03ld", number % 1000);
    fseek(update, number % 7 * 4, SEEK_SET);
    check(fread(text, 1, 4, update) == 4, "update", number);
    return digest(0, text, 4);
}

static uint64_t nameless_some(long number)
{
    char text[64] = "";
    long value = 0;

    fseek(nameless, 0, SEEK_END);
    fprintf(nameless, "%8ld", number);
    fseek(nameless, number / 2 * 8, SEEK_SET);
    check(fgets(text, 9, nameless) != NULL, "nameless", number);
    value = atol(text);
    check(value == number / 2 + 1, "nameless content", number);
    return (uint64_t)value;
}

static uint64_t wide_some(long number)
{
    wchar_t text[16] = L"";

    fseek(wide, 0, SEEK_END);
    fwprintf(wide, L"%ld|", number);
    rewind(wide);
    fgetws(text, 8, wide);
    return digest(0, text, sizeof text);
}

/* The order of a folder is the file system's: names are added up, a full round must have them all.
 */
static uint64_t folder_some(void)
{
    static uint64_t sum;
    static int seen;
    struct dirent *entry = readdir(folder);

    if (entry != NULL) {
        sum += digest(0, entry->d_name, strlen(entry->d_name));
        seen++;
        return 0;
    }
    check(seen == 22, "folder", seen);
    seen = 0;
    rewinddir(folder);
    return sum;
}

int main(int argc, char **argv)
{
    uint64_t state = 0;
    long steps, value;

    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    streams_open();
    for (long number = 1; number <= steps; number++) {
        step(number);
        value = number + rank;
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        fprintf(lines, "half a line %ld%s", value, number % 3 ? ", " : "\n");
        fprintf(memory, "<%ld>", number);
        fprintf(cookie, "c%ld ", number);
        state = mix(state + read_some() + update_some(number) + nameless_some(number) +
                    wide_some(number) + folder_some());
        if (rank == 0)
            printf("%ld%s", number, number % 10 ? " " : "\n");
    }
    fclose(memory);
    fclose(cookie);
    state = digest(state, memory_text, memory_length);
    state = digest(state, cookie_text, cookie_length);
    return program_end("libc_streams", state);
}
