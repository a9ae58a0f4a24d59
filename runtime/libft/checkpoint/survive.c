/* Leaving an epoch: the rank's present state becomes an image in memory, and the process begins its
 * next life with it.
 *
 * Nothing is cloned, because nothing goes on here: when the image is complete the rank waits,
 * and never enters its library again. The memfd that travels with LEFT has all that ftrun needs
 * to start the next life a second time. */
#include "checkpoint/checkpoint.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checkpoint/save.h"
#include "files/files.h"
#include "handle/failure.h"
#include "heap/spare.h"
#include "image/apart.h"
#include "image/stack.h"
#include "os/os.h"
#include "request/request.h"
#include "stream/carried.h"
#include "stream/stream.h"

/* seconds until a checkpoint that is being written is given up, because it reads out of here */
static const double writer_patience = 0.5;

static char leave_buffer[FT_WIRE_MAX];

static void report(const struct ft_wire_left *left, const char *reason, int fd)
{
    if (ft_wire_send(ft_life.control, FT_WIRE_LEFT, left, sizeof *left, reason,
                     reason ? strlen(reason) + 1 : 0, fd) != 0)
        ft_panic("ftrun is gone");
}

_Noreturn void ft_checkpoint_stay(int code, const char *reason)
{
    struct ft_wire_left left = {.error = -code};

    report(&left, reason, -1);
    for (;;)
        pause();
}

void ft_checkpoint_drain(struct ft_rank *self, int death)
{
    int code = ft_drain(self, death);

    if (code != 0)
        ft_checkpoint_stay(code, "its drain does not end");
}

/* A memfd with the image. It never leaves the machine's memory, as little as the rank itself, so
 * nothing is summed up of what is in it; that all of it is there the heads of its blocks say. */
static int write_image(const struct ft_rank *self, struct ft_wire_left *left)
{
    struct ft_image_info info = checkpoint_info(self, 0);
    double begin = ft_os_now();
    uint64_t checksum;
    int fd = memfd_create("ft-image", MFD_CLOEXEC), code;

    info.plain = 1;
    if (fd < 0)
        ft_checkpoint_stay(-errno, "no memory for its image");
    code = ft_image_write(fd, &info, NULL, &left->bytes, &checksum);
    if (code != 0)
        ft_checkpoint_stay(code, "no memory for its image");
    left->image = ft_os_now() - begin;
    return fd;
}

/* Until all survivors have left, some of them may need this process's memory (process_vm_readv). */
static _Noreturn void continue_anew(struct ft_rank *self)
{
    int fd;

    for (;;) {
        if (ft_wire_receive(ft_life.control, 1, leave_buffer, &fd) <= 0)
            ft_panic("ftrun is gone");
        switch (((struct ft_wire_head *)leave_buffer)->type) {
        case FT_WIRE_EXEC:
            ft_apart_wait(writer_patience);
            ft_fault_point(FT_POINT_LEAVE_EXEC, ft_life.boot.epoch);
            ft_exec_again(self);
        case FT_WIRE_END:
            ft_gate_end();
        }
    }
}

void ft_checkpoint_leave(struct ft_rank *self)
{
    struct ft_wire_left left = {.interrupted = (uint32_t)ft_life.interrupted};
    struct ft_os_context context;
    const char *reason;
    double begin = ft_os_now();
    int code, image;

    ft_fault_point(FT_POINT_LEAVE_BEGIN, ft_life.boot.epoch);
    if (!ft_ulfm_of(self)) /* there nothing is under way that still counts */
        ft_checkpoint_drain(self, 1);
    if (self->spbc)
        ft_carried_give(self);
    left.drain = ft_os_now() - begin;
    reason = checkpoint_obstacle_drained(self);
    if (reason != NULL)
        ft_checkpoint_stay(-ENOTSUP, reason);
    code = checkpoint_save(self, -1);
    if (code != 0)
        ft_checkpoint_stay(code, "its open files cannot be listed");
    if (self->spbc)
        ft_streams_leave(self);
    left.stdin_left = checkpoint_stdin_left(self);
    ft_heap_spare_drop();
    self->context = &context;
    self->context_depth = ft_depth;
    if (ft_os_context_save(&context) != 0) /* the new life: everything was put back */
        return;
    ft_stack_mark(context.rsp);
    image = write_image(self, &left);
    ft_fault_point(FT_POINT_LEAVE_IMAGE, ft_life.boot.epoch);
    report(&left, NULL, image);
    continue_anew(self);
}
