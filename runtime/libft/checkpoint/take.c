/* Taking an image.
 *
 * After the drain the MPI library holds no message or request of the program, so memory, libc's
 * state and descriptors are all there is. The writer is a clone: it sees this moment's memory while
 * the program goes on. */
#include "checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "checkpoint/save.h"
#include "determinant/determinant.h"
#include "determinant/trail.h"
#include "files/files.h"
#include "handle/handle.h"
#include "image/apart.h"
#include "image/stack.h"
#include "os/os.h"
#include "request/request.h"
#include "stream/marks.h"
#include "stream/stream.h"
#include "window/window.h"

/* Writes a file beside the image, for ranks of other clusters. */
static int write_beside(const struct ft_rank *self, const struct ft_wire_freeze *freeze,
                        const char *name, int (*content)(const struct ft_rank *, int))
{
    char path[FT_WIRE_PATH + 16];
    int fd, code;

    snprintf(path, sizeof path, "%s.%s", freeze->image, name);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    code = fd < 0 ? -errno : content(self, fd);
    if (code == 0 && (fsync(fd) != 0 || close(fd) != 0))
        code = -errno;
    return code;
}

/* Writes the counts of streams. Senders drop from their logs what has been received by now, once
 * the checkpoint is the oldest (stream/received.c); receivers may then forget retired streams
 * (stream/stones.c). */
static int write_streams(const struct ft_rank *self, const struct ft_wire_freeze *freeze)
{
    int code = write_beside(self, freeze, "received", ft_streams_write);

    if (code == 0)
        code = write_beside(self, freeze, "stones", ft_streams_write_stones);
    return code ? code : ft_streams_sync(self);
}

/* A fault plan: changes a byte of the image after its checksum was computed. */
static void corrupt(int fd, uint64_t bytes)
{
    off_t middle = (off_t)(bytes / 2);
    char byte = 0;

    if (pread(fd, &byte, 1, middle) == 1) {
        byte = (char)~byte;
        if (pwrite(fd, &byte, 1, middle) != 1)
            ft_warn("a fault plan could not damage the image");
    }
}

/* The writer's whole life. Only system calls and memory. Pages that the program writes meanwhile
 * exist twice. If memory runs out the checkpoint shall be lost and not a rank, so the writer asks
 * the kernel to be killed first. */
static _Noreturn void writer_run(const struct ft_rank *self, const struct ft_wire_freeze *freeze,
                                 const struct ft_apart *apart)
{
    struct ft_wire_written written = {.checkpoint = freeze->checkpoint};
    struct ft_image_info info = checkpoint_info(self, freeze->checkpoint);
    int fd, code, full;

    ft_os_offer();
    full = ft_fault_point(FT_POINT_CHECKPOINT_WRITE, freeze->checkpoint) == FT_FAULT_FULL;
    fd = open(*freeze->near ? freeze->near : freeze->image, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
              0600);
    code = fd < 0 ? -errno : ft_image_write(fd, &info, apart, &written.bytes, &written.checksum);
    if (full)
        code = -ENOSPC;
    if (ft_fault_point(FT_POINT_CHECKPOINT_SYNC, freeze->checkpoint) == FT_FAULT_CORRUPT)
        corrupt(fd, written.bytes);
    if (code == 0 && (fsync(fd) != 0 || close(fd) != 0))
        code = -errno;
    if (code == 0 && self->spbc)
        code = write_streams(self, freeze);
    ft_fault_point(FT_POINT_CHECKPOINT_WRITTEN, freeze->checkpoint);
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

enum beside { RECEIVED, STONES };

/* Reads a file that stands beside the image of rank `world` in checkpoint `number`. If it is
 * gone by now, or cannot be read, this rank keeps log entries longer than needed. */
static void read_beside(struct ft_rank *self, const struct ft_wire_freeze *freeze, int world,
                        int32_t number, enum beside which)
{
    char path[FT_WIRE_PATH + 64];
    int fd, code;

    snprintf(path, sizeof path, "%s/ckpt-%d/rank-%d.img.%s",
             number & FT_WIRE_OTHER ? freeze->other : freeze->store, number & ~FT_WIRE_OTHER, world,
             which == RECEIVED ? "received" : "stones");
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return;
    code = which == RECEIVED ? ft_streams_drop(self, world, fd)
                             : ft_streams_learn(self, world, number, fd);
    if (code == -EBADMSG)
        ft_warn("%s is damaged", path);
    close(fd);
}

/* Drops messages from the log that their receivers have in their oldest checkpoints, and what was
 * kept of communicators that they have freed there: no rollback asks for them again. */
static void log_shorten(struct ft_rank *self, const struct ft_wire_freeze *freeze)
{
    const int32_t *oldest = (const int32_t *)(freeze + 1);

    ft_tombs_begin(self);
    for (int world = 0; world < self->size; world++) {
        int32_t number = oldest[self->spbc->of[world]];

        if (number < 0)
            continue;
        read_beside(self, freeze, world, number, RECEIVED);
        if (self->spbc->foreign[world] && !ft_life.pair)
            read_beside(self, freeze, world, number, STONES);
    }
    ft_streams_retire(self);
    ft_streams_settle(self, (int32_t)freeze->checkpoint, freeze->kept);
}

/* Opens the pages of the log that the writer reads. 0 or -errno. */
static int apart_open(const struct ft_rank *self, struct ft_apart *apart)
{
    int code = ft_apart_open(apart), until;

    if (code != 0)
        return code;
    apart->each = ft_streams_pages;
    apart->of = self;
    until = ft_files_own(apart->until);
    if (until >= 0) {
        ft_apart_watch(until);
        return 0;
    }
    close(apart->until);
    ft_apart_close(apart);
    return until;
}

/* Why apart_open failed, and what helps. The numbers of the runtime's descriptors may lie beyond a
 * limit that the program has set: EINVAL. */
static const char *apart_reason(int code)
{
    static char reason[192];

    if (code == -EMFILE || code == -ENFILE || code == -EINVAL)
        return "too few descriptors are free for the process that writes the image: raise the "
               "limit of open files (ulimit -n)";
    snprintf(reason, sizeof reason,
             "the process that writes the image cannot read the log, because /proc/self/mem cannot "
             "be opened (%s): allow that, or use --protocol coordinated",
             strerror(-code));
    return reason;
}

/* Clones the writer. Its pid; or -errno, and perhaps why. */
static pid_t writer_clone(const struct ft_rank *self, const struct ft_wire_freeze *freeze,
                          const char **reason)
{
    struct ft_apart apart;
    int code = self->spbc ? apart_open(self, &apart) : 0;
    pid_t writer;

    if (code != 0) {
        *reason = apart_reason(code);
        return code;
    }
    writer = ft_os_clone_sibling();
    if (writer == 0)
        writer_run(self, freeze, self->spbc ? &apart : NULL);
    if (self->spbc)
        ft_apart_close(&apart);
    return writer;
}

/* The image may be one of all ranks at one moment, from which the job is continued. Then no rank
 * may do anything that another one's image could know of. */
static void wait_for_others(struct ft_rank *self, const struct ft_wire_freeze *freeze)
{
    const struct timespec nap = {.tv_nsec = 20000};

    while (__atomic_load_n(&self->recorder->taken, __ATOMIC_ACQUIRE) <= freeze->checkpoint) {
        ft_makings_turn(self); /* another cluster's drain may wait for this rank's part */
        clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL);
    }
}

/* Answers 1 in a new life. */
static int take(struct ft_rank *self, const struct ft_wire_freeze *freeze, double held, int noted)
{
    struct ft_wire_snapshot snapshot = {
        .checkpoint = freeze->checkpoint, .hooks = self->hooks, .held = held};
    struct ft_os_context context;
    const char *reason;
    double begin = ft_os_now(), middle;

    ft_fault_point(FT_POINT_CHECKPOINT_BEGIN, freeze->checkpoint);
    if (!noted)
        ft_files_hold(self);
    ft_fault_point(FT_POINT_CHECKPOINT_DRAIN, freeze->checkpoint);
    ft_windows_drain(self);
    ft_checkpoint_drain(self, 0);
    ft_fault_point(FT_POINT_CHECKPOINT_SAVE, freeze->checkpoint);
    if (self->spbc)
        log_shorten(self, freeze);
    self->order_seen =
        __atomic_load_n(&self->recorder->order, __ATOMIC_ACQUIRE) ^ self->order_never;
    reason = checkpoint_obstacle_drained(self);
    if (reason != NULL) {
        snapshot.error = ENOTSUP;
        report(&snapshot, reason);
        return 0;
    }
    snapshot.error = -checkpoint_save(self, freeze->checkpoint);
    if (snapshot.error != 0) {
        report(&snapshot, "what open files need for a rollback cannot be written");
        return 0;
    }
    snapshot.stdin_left = checkpoint_stdin_left(self);
    snapshot.determinants = ft_determinants_position(self);
    snapshot.trail = self->spbc ? self->spbc->trail->at : 0;
    self->context = &context;
    self->context_depth = ft_depth;
    middle = ft_os_now();
    if (ft_os_context_save(&context) != 0) /* a new life: everything was put back */
        return 1;
    ft_stack_mark(context.rsp);
    snapshot.writer = writer_clone(self, freeze, &reason);
    snapshot.drain = middle - begin;
    snapshot.fork = ft_os_now() - middle;
    if (snapshot.writer < 0) {
        snapshot.error = -snapshot.writer;
        snapshot.writer = 0;
    }
    report(&snapshot, reason);
    ft_fault_point(FT_POINT_CHECKPOINT_TAKEN, freeze->checkpoint);
    if (freeze->stays)
        wait_for_others(self, freeze);
    return 0;
}

void ft_checkpoint_take(struct ft_rank *self, const struct ft_wire_freeze *freeze, double held,
                        int noted)
{
    if (take(self, freeze, held, noted))
        return;
    ft_windows_resume(self);
    ft_marks_pass(self, freeze->checkpoint);
}
