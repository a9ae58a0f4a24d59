/* marks: the words of --protocol coordinated:nonblocking (protocol/marks.h). A checkpoint is frozen
 * rank by rank (commit/checkpoint.c); a death takes all ranks back to the same one. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "protocol/marks.h"
#include "recover/recover.h"

int ft_marks_create(struct ft_run *run)
{
    size_t bytes = FT_MARKS_BYTES(run->size);

    if (!ft_options_marks(&run->options))
        return 0;
    run->marks_fd = memfd_create("ftrun-marks", MFD_CLOEXEC);
    if (run->marks_fd < 0 || ftruncate(run->marks_fd, (off_t)bytes))
        return -errno;
    run->passing = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, run->marks_fd, 0);
    if (run->passing != MAP_FAILED)
        return 0;
    run->passing = NULL;
    return -errno;
}

void ft_marks_begin(struct ft_run *run)
{
    if (run->passing)
        memset(run->passing, 0, FT_MARKS_BYTES(run->size));
}
