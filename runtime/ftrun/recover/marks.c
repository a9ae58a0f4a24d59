/* marks: the words of --protocol coordinated:nonblocking (protocol/marks.h). A checkpoint is frozen
 * rank by rank (commit/checkpoint.c); a death takes all ranks back to the same one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "host/shared.h"
#include "protocol/marks.h"
#include "recover/recover.h"

struct ft_marking {
    struct ft_marks *marks; /* shared with all ranks */
    int fd;
};

int ft_marks_create(struct ft_run *run)
{
    size_t bytes = FT_MARKS_BYTES(run->size);
    struct ft_marking *marking;

    if (!ft_options_marks(&run->options))
        return 0;
    marking = calloc(1, sizeof(*marking));
    if (!marking)
        return -ENOMEM;
    run->marking = marking;
    marking->marks = ft_shared_create("ftrun-marks", bytes, bytes, &marking->fd);
    return marking->marks ? 0 : -errno;
}

void ft_marks_destroy(struct ft_run *run)
{
    free(run->marking);
}

void ft_marks_path(const struct ft_run *run, char *path, size_t size)
{
    if (run->marking)
        snprintf(path, size, "/proc/%d/fd/%d", (int)getpid(), run->marking->fd);
}

void ft_marks_begin(struct ft_run *run)
{
    if (run->marking)
        memset(run->marking->marks, 0, FT_MARKS_BYTES(run->size));
}
