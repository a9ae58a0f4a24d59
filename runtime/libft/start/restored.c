/* A life that begins with an image.
 *
 * Order matters: memory first; then what libc and the kernel keep (descriptors at their old
 * numbers, before the MPI library takes any); then the library and everything that hangs on it;
 * last the jump. Nothing is allocated from the program's heap before the memory is in. */
#include "start/start.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "library/library.h"

#include "chance/chance.h"
#include "checkpoint/checkpoint.h"
#include "determinant/determinant.h"
#include "determinant/trail.h"
#include "files/files.h"
#include "handle/failure.h"
#include "handle/handle.h"
#include "heap/heap.h"
#include "image/image.h"
#include "libc/libc.h"
#include "os/os.h"
#include "pattern/pattern.h"
#include "request/follow.h"
#include "request/request.h"
#include "request/virtual.h"
#include "stream/contents.h"
#include "stream/stream.h"
#include "window/window.h"

extern int __cxa_atexit(void (*function)(void *), void *argument, void *dso);

/* Tells ftrun why this life ends here, and waits to be killed. */
static _Noreturn void report(uint32_t type, const char *reason, int code)
{
    struct ft_wire_number number = {code};

    ft_wire_send(ft_life.control, type, &number, sizeof number, reason, strlen(reason) + 1, -1);
    for (;;)
        pause();
}

/* ftrun tries the same again at once. Memory, descriptors, or a file that is being replaced may
 * be there again in a second, and the rank has nothing else to do. A raw call, because memory
 * may be half of this life and half of the image. */
static _Noreturn void report_hindrance(const char *reason, int code)
{
    struct timespec second = {.tv_sec = 1};

    syscall(SYS_nanosleep, &second, NULL);
    report(FT_WIRE_HINDERED, reason, code);
}

/* Is it the file that is of no use? Otherwise this process could not take what is in it. */
static int is_of_image(int code)
{
    return code == -EBADMSG || code == -EIO || code == -ENOENT || code == -ESTALE;
}

static struct ft_rank *restore_memory(struct ft_image_info *info)
{
    static char reason[256 + FT_FILES_REASON];
    int code = ft_image_read(ft_life.boot.image, info, reason);

    if (code != 0 && is_of_image(code))
        report(FT_WIRE_BAD_IMAGE, reason, code);
    if (code != 0) {
        size_t used = strlen(reason);

        snprintf(reason + used, sizeof reason - used, " (%s): %s", ft_life.boot.image,
                 strerror(-code));
        report_hindrance(reason, code);
    }
    if (info->rank != ft_life.boot.rank || info->size != ft_life.boot.size)
        report(FT_WIRE_BAD_IMAGE, "the image is another rank's", -ESTALE);
    return ft_heap_adopt()->self;
}

static void restore_process(struct ft_rank *self)
{
    static char reason[FT_FILES_REASON];
    int code = ft_files_restore(self, reason);

    if (code != 0)
        report_hindrance(reason, code);
    code = ft_libc_restore(self);
    if (code == 0)
        return;
    snprintf(reason, sizeof reason, "a state of the C library cannot be put back: %s",
             strerror(-code));
    report_hindrance(reason, code);
}

static void restore_counters(struct ft_rank *self)
{
    struct ft_recorder *recorder = self->recorder;

    recorder->phase = FT_PHASE_RUNNING;
    recorder->hooks = self->hooks;
    recorder->calls = self->calls;
    recorder->polls = self->polls;
    recorder->where = FT_WHERE_CALL;
    self->order_seen = recorder->order ^ self->order_never;
    if (self->order_never) {
        ft_threads_again(self->lock_times);
        ft_fault_pending |= FT_PENDING_THREADS;
    }
    ft_start_orders(self);
}

static void restore_library(struct ft_rank *self)
{
    int provided, code;

    ft_spin_tune(self);
    code = ft_start_mpi(self->thread_level, &provided);
    if (code != MPI_SUCCESS)
        ft_panic("MPI_Init failed in the new epoch (code %d)", code);
    self->wtime_offset = self->wtime_saved - PMPI_Wtime();
    if (ft_life.boot.survivor) /* nothing is done again: the time goes on */
        self->wtime_offset += ft_os_now() - self->moment_saved;
}

/* May the rank be offered messages that are too early for it? One that rolls back may. So may all
 * ranks of a team of copies in which a rank begins with an image of its other copy: that one may
 * have done by then what the others have still to do. */
static int is_overtaken(void)
{
    return !ft_life.boot.survivor || ft_life.boot.crossed ||
           (ft_life.pair != NULL && ft_life.boot.epoch > 0);
}

_Noreturn void ft_start_restored(void (*rtld_fini)(void))
{
    struct ft_wire_restored done = {0};
    struct ft_image_info info;
    double begin = ft_os_now(), end;
    struct ft_rank *self;
    int code;

    ft_libc_settle();
    self = restore_memory(&info);
    ft_fault_point(FT_POINT_RECOVERY_IMAGE, ft_life.boot.epoch);
    restore_counters(self);
    ft_trust_start(self);
    if (self->spbc && ft_trust_patterns() && is_overtaken())
        self->spbc->identified = 1;
    restore_process(self);
    if (rtld_fini != NULL)
        __cxa_atexit((void (*)(void *))rtld_fini, NULL, NULL);
    ft_self = self;
    end = ft_os_now();
    done.image = end - begin;
    restore_library(self);
    ft_files_opened(self);
    done.library = ft_os_now() - end;
    end = ft_os_now();
    ft_fault_point(FT_POINT_RECOVERY_HANDLES, ft_life.boot.epoch);
    if (self->spbc)
        ft_streams_forget(self);
    ft_handles_rebuild(self);
    ft_windows_rebuild(self);
    if (self->spbc) {
        ft_foreign_rebuild(self);
        if (!ft_ulfm_of(self)) /* others may be new, and have nothing to exchange */
            ft_streams_rebuild(self);
        ft_determinants_restore(self);
        ft_trail_restore(self);
        ft_contents_restore(self);
    }
    ft_chance_start();
    ft_requests_rebuild(self);
    ft_follow_start(self);
    code = ft_libc_resume(self);
    if (code != 0)
        ft_panic("a signal handler cannot be put back: %s", strerror(-code));
    ft_checkpoint_validate(self);
    done.handles = ft_os_now() - end;
    done.hooks = self->hooks;
    self->recorder->starting = 0;
    if (ft_wire_send(ft_life.control, FT_WIRE_RESTORED, &done, sizeof done, NULL, 0, -1) != 0)
        ft_panic("ftrun is gone");
    if (self->spbc) {
        ft_gate_wait(self);
        ft_streams_turn(self); /* the program may come to no wait before it leaves MPI */
    }
    ft_fault_point(FT_POINT_RECOVERY_RESUME, ft_life.boot.epoch);
    ft_depth = self->context_depth;
    ft_os_context_continue(self->context);
}
