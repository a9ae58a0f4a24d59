/* Saves the parts of an image besides memory (save.h). */
#include "checkpoint/save.h"

#include "library/library.h"
#include <sys/ioctl.h>

#include "checkpoint/checkpoint.h"
#include "determinant/determinant.h"
#include "files/files.h"
#include "handle/handle.h"
#include "libc/libc.h"
#include "os/os.h"
#include "request/request.h"
#include "stream/contents.h"

const char *checkpoint_obstacle(struct ft_rank *self)
{
    const char *reason = ft_libc_obstacle(self);

    return reason ? reason : ft_files_obstacle(self);
}

const char *checkpoint_obstacle_drained(struct ft_rank *self)
{
    const char *reason = checkpoint_obstacle(self);

    return reason ? reason : ft_requests_obstacle(self);
}

int checkpoint_save(struct ft_rank *self, int64_t checkpoint)
{
    int code;

    ft_checkpoint_validate(self);
    self->wtime_saved = PMPI_Wtime() + self->wtime_offset;
    self->moment_saved = ft_os_now();
    ft_comm_forget(self);
    if (self->spbc)
        ft_determinants_close(self);
    if (self->spbc && checkpoint >= 0)
        ft_contents_close(self);
    code = checkpoint < 0 ? ft_files_leave(self) : ft_files_save(self, (uint32_t)checkpoint);
    if (code == 0)
        ft_libc_save(self, checkpoint < 0);
    return code;
}

struct ft_image_info checkpoint_info(const struct ft_rank *self, uint32_t checkpoint)
{
    return (struct ft_image_info){.rank = self->rank,
                                  .size = self->size,
                                  .checkpoint = checkpoint,
                                  .hooks = self->hooks,
                                  .layout = ft_image_layout(),
                                  .build = ft_image_build()};
}

uint64_t checkpoint_stdin_left(const struct ft_rank *self)
{
    int bytes = 0;

    if (self->rank != 0 || ioctl(0, FIONREAD, &bytes) != 0)
        return 0;
    return (uint64_t)bytes;
}
