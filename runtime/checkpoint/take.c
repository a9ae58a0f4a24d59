/* Taking an image.
 *
 * After the drain the library holds nothing of ours, so memory, libc's state and descriptors are
 * all there is. The writer is a clone: it sees this moment's memory while the program goes on. */
#include "checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "checkpoint/save.h"
#include "determinant/determinant.h"
#include "image/stack.h"
#include "os/os.h"
#include "request/request.h"
#include "stream/stream.h"

/* The writer's whole life. Only system calls and memory. */
/* What the rank has received by now, beside its image: senders' logs need that no more once the
 * checkpoint is the oldest (stream/received.c). */
static int received_write(const struct ft_rank *self, const struct ft_wire_freeze *freeze)
{
    char path[FT_WIRE_PATH + 16];
    int fd, code;

    snprintf(path, sizeof path, "%s.received", freeze->image);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    code = fd < 0 ? -errno : ft_streams_write(self, fd);
    if (code == 0 && (fsync(fd) != 0 || close(fd) != 0))
        code = -errno;
    return code;
}

static _Noreturn void writer_run(const struct ft_rank *self, const struct ft_wire_freeze *freeze)
{
    struct ft_wire_written written = {.checkpoint = freeze->checkpoint};
    struct ft_image_info info = checkpoint_info(self, freeze->checkpoint);
    int fd = open(freeze->image, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int code = fd < 0 ? -errno : ft_image_write(fd, &info, &written.bytes, &written.checksum);

    if (code == 0 && (fsync(fd) != 0 || close(fd) != 0))
        code = -errno;
    if (code == 0 && self->spbc)
        code = received_write(self, freeze);
    written.error = -code;
    code = ft_wire_send(ft_life.control, FT_WIRE_WRITTEN, &written, sizeof written, NULL, 0, -1);
    syscall(SYS_exit_group, code != 0);
    __builtin_unreachable();
}

static void report(const struct ft_wire_snapshot *snapshot, const char *reason)
{
    if (ft_wire_send(ft_life.control, FT_WIRE_SNAPSHOT, snapshot, sizeof *snapshot, reason,
                     reason ? strlen(reason) + 1 : 0, -1) != 0)
        ft_panic("ftrun is gone");
}

/* Shortens the log by what others have for good. A checkpoint that is gone by now, or its file that
 * cannot be read, costs memory and nothing else. */
static void log_shorten(struct ft_rank *self, const struct ft_wire_freeze *freeze)
{
    const int32_t *oldest = (const int32_t *)(freeze + 1);
    char path[FT_WIRE_PATH + 64];

    for (int world = 0; world < self->size; world++) {
        int32_t number = self->spbc->foreign[world] ? oldest[self->spbc->of[world]] : -1;
        int fd;

        if (number < 0)
            continue;
        snprintf(path, sizeof path, "%s/ckpt-%d/rank-%d.img.received", freeze->store, number,
                 world);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (ft_streams_drop(self, world, fd) == -EBADMSG)
            ft_warn("%s is damaged", path);
        close(fd);
    }
}

void ft_checkpoint_take(struct ft_rank *self, const struct ft_wire_freeze *freeze, double held)
{
    struct ft_wire_snapshot snapshot = {
        .checkpoint = freeze->checkpoint, .hooks = self->hooks, .held = held};
    struct ft_os_context context;
    const char *reason;
    double begin = ft_os_now(), middle;

    ft_drain(self);
    if (self->spbc)
        log_shorten(self, freeze);
    self->order_seen = __atomic_load_n(&self->recorder->order, __ATOMIC_ACQUIRE);
    reason = checkpoint_obstacle(self);
    if (reason != NULL) {
        snapshot.error = ENOTSUP;
        report(&snapshot, reason);
        return;
    }
    snapshot.error = -checkpoint_save(self, freeze->checkpoint);
    if (snapshot.error != 0) {
        report(&snapshot, "what open files need for a rollback cannot be written");
        return;
    }
    snapshot.stdin_left = checkpoint_stdin_left(self);
    snapshot.determinants = ft_determinants_position(self);
    self->context = &context;
    self->context_depth = ft_depth;
    middle = ft_os_now();
    if (ft_os_context_save(&context) != 0)
        return; /* a new life: everything was put back before the jump */
    ft_stack_mark(context.rsp);
    snapshot.writer = ft_os_clone_sibling();
    if (snapshot.writer == 0)
        writer_run(self, freeze);
    snapshot.drain = middle - begin;
    snapshot.fork = ft_os_now() - middle;
    if (snapshot.writer < 0) {
        snapshot.error = -snapshot.writer;
        snapshot.writer = 0;
    }
    report(&snapshot, NULL);
}
