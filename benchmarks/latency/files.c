/* files: what accesses of files cost, each rank its own. All but the last two stand behind an MPI
 * call (a message to itself).
 *
 * open: a file of 64 bytes is opened, read and closed; stat: it is looked at; append: 64 bytes are
 * written to an open file; line: a line of a stream is flushed; pread, fread: 64 bytes of what is
 * open are read, many times between two calls. */
#include "micro.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 64, TIMES = 100, LONGEST = 1 << 20 };

struct files {
    char small[32], long_one[32];
    int fd;
    FILE *line, *stream;
    char block[BYTES];
};

static void require(int holds, const char *what)
{
    if (holds)
        return;
    perror(what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void call(void)
{
    char byte = 0, other;

    MPI_Sendrecv(&byte, 1, MPI_BYTE, micro_rank, 0, &other, 1, MPI_BYTE, micro_rank, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void open_and_read(size_t bytes, void *state)
{
    struct files *files = state;
    int fd;

    call();
    fd = open(files->small, O_RDONLY);
    require(read(fd, files->block, bytes) == (ssize_t)bytes, "read");
    close(fd);
}

static void look(size_t bytes, void *state)
{
    struct files *files = state;
    struct stat status;

    (void)bytes;
    call();
    require(stat(files->small, &status) == 0, "stat");
}

/* The file begins anew when it is long. */
static void append(size_t bytes, void *state)
{
    struct files *files = state;

    call();
    require(write(files->fd, files->block, bytes) == (ssize_t)bytes, "write");
    if (lseek(files->fd, 0, SEEK_CUR) > LONGEST)
        lseek(files->fd, 0, SEEK_SET);
}

static void line(size_t bytes, void *state)
{
    struct files *files = state;

    call();
    fprintf(files->line, "%*d\n", (int)bytes - 1, micro_rank);
    fflush(files->line);
    if (ftell(files->line) > LONGEST)
        rewind(files->line);
}

static void read_at(size_t bytes, void *state)
{
    struct files *files = state;

    for (int i = 0; i < TIMES; i++)
        require(pread(files->fd, files->block, bytes, 0) == (ssize_t)bytes, "pread");
}

static void read_stream(size_t bytes, void *state)
{
    struct files *files = state;

    rewind(files->stream);
    for (int i = 0; i < TIMES; i++)
        require(fread(files->block, 1, bytes, files->stream) == bytes, "fread");
}

static FILE *open_new(char name[32], const char *what)
{
    FILE *file;

    snprintf(name, 32, "%s.%d", what, micro_rank);
    require((file = fopen(name, "w+")) != NULL, name);
    for (int i = 0; i < BYTES * TIMES; i++)
        fputc('x', file);
    fflush(file);
    return file;
}

int main(int argc, char **argv)
{
    static struct files files;
    char other[32];

    micro_start(argc, argv);
    fclose(open_new(files.small, "files-small"));
    files.line = open_new(files.long_one, "files-line");
    files.stream = open_new(other, "files-stream");
    files.fd = open(files.long_one, O_RDWR);
    require(files.fd >= 0, "open");
    micro_measure("open", BYTES, open_and_read, &files);
    micro_measure("stat", BYTES, look, &files);
    micro_measure("append", BYTES, append, &files);
    micro_measure("line", BYTES, line, &files);
    micro_measure_each("pread", BYTES, TIMES, read_at, &files);
    micro_measure_each("fread", BYTES, TIMES, read_stream, &files);
    unlink(files.small), unlink(files.long_one), unlink(other);
    MPI_Finalize();
    return 0;
}
