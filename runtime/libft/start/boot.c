/* The first words with ftrun (start.h). */
#include "start/start.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fault/fault.h"
#include "files/files.h"
#include "image/image.h"
#include "image/layout.h"
#include "libc/libc.h"
#include "os/os.h"
#include "protocol/logged.h"
#include "protocol/marks.h"
#include "protocol/phases.h"
#include "start/zygote.h"

static void map_recorder(int fd)
{
    size_t bytes = FT_RECORDER_BYTES;
    struct ft_recorder *recorder;
    void *at;

    if (ft_life.boot.clusters)
        bytes += FT_RECORDER_RINGS_BYTES;
    at = ft_os_map((void *)FT_RECORDER_AT, bytes, PROT_READ | PROT_WRITE,
                   MAP_SHARED | MAP_FIXED_NOREPLACE, fd, 0);
    recorder = at;
    if (at != (void *)FT_RECORDER_AT)
        ft_panic("the recorder cannot be mapped: %s", strerror(errno));
    if (recorder->version != FT_RECORDER_VERSION)
        ft_panic("ftrun and libft.so come from different builds (recorder version %u, not %d)",
                 recorder->version, FT_RECORDER_VERSION);
    close(fd);
}

/* Maps a file of ftrun's that ranks, or copies of a rank, share; at: where. */
static void map_shared(const char *path, uintptr_t at, size_t bytes, off_t offset)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    void *mapped = fd < 0 ? MAP_FAILED
                          : ft_os_map((void *)at, bytes, PROT_READ | PROT_WRITE,
                                      MAP_SHARED | MAP_FIXED, fd, offset);

    if (mapped != (void *)at)
        ft_panic("what ranks share (%s) cannot be mapped: %s", path, strerror(errno));
    close(fd);
}

/* Copy 1 sees the ring of copy 0 where its own would be, so an image of either fits both. On
 * several nodes each copy has a ring of its own, which its agent keeps alike (ftrun/agent/pair.c),
 * and ftrun counts the changes of files. */
static void map_pair(void)
{
    const struct ft_wire_boot *boot = &ft_life.boot;

    if (!boot->replicas)
        return;
    map_shared(boot->pair, FT_PAIR_AT, FT_PAIR_BYTES, 0);
    ft_life.pair = (struct ft_pair *)FT_PAIR_AT;
    if (*boot->changes) {
        map_shared(boot->changes, FT_CHANGES_AT, (size_t)boot->size * sizeof *ft_life.changes, 0);
        ft_life.changes = (uint64_t *)FT_CHANGES_AT;
    }
    map_shared(boot->other, FT_TWIN_AT,
               FT_RECORDER_BYTES + FT_RECORDER_RING_BYTES + FT_RECORDER_TRAIL_BYTES, 0);
    ft_life.twin = (const struct ft_recorder *)FT_TWIN_AT;
    if (*boot->ring)
        map_shared(boot->ring, FT_RECORDER_AT + FT_RECORDER_BYTES, FT_RECORDER_RING_BYTES,
                   FT_RECORDER_BYTES);
}

/* All ranks share words that their protocol needs. */
static void map_words(void)
{
    const struct ft_wire_boot *boot = &ft_life.boot;

    if (*boot->phases) {
        map_shared(boot->phases, FT_PHASES_AT, FT_PHASES_BYTES(boot->clusters), 0);
        ft_life.phases = (struct ft_phases *)FT_PHASES_AT;
    }
    if (*boot->logged) {
        map_shared(boot->logged, FT_LOGGED_AT, FT_LOGGED_BYTES(boot->size), 0);
        ft_life.logged = (struct ft_logged *)FT_LOGGED_AT;
    }
    if (*boot->marks) {
        map_shared(boot->marks, FT_MARKS_AT, FT_MARKS_BYTES(boot->size), 0);
        ft_life.marks = (struct ft_marks *)FT_MARKS_AT;
    }
}

/* The list of clusters lies behind BOOT; the buffer is used again. */
static void keep_clusters(const void *tail)
{
    size_t bytes = (size_t)ft_life.boot.size * sizeof *ft_life.clusters;

    if (!ft_life.boot.clusters)
        return;
    ft_life.clusters = realloc(ft_life.clusters, bytes);
    if (!ft_life.clusters)
        ft_panic("no memory for the list of clusters");
    memcpy(ft_life.clusters, tail, bytes);
}

/* Exchanges HELLO and BOOT on the control socket. */
static void say_hello(void)
{
    static char buffer[FT_WIRE_MAX];
    struct ft_wire_hello hello = {.version = FT_WIRE_VERSION,
                                  .pid = getpid(),
                                  .layout = ft_image_layout(),
                                  .build = ft_image_build()};
    const struct ft_wire_boot *boot;
    int fd, code;

    code = ft_wire_send(ft_life.control, FT_WIRE_HELLO, &hello, sizeof hello, NULL, 0, -1);
    if (code != 0 || ft_wire_receive(ft_life.control, 1, buffer, &fd) <= 0)
        ft_panic("ftrun does not answer");
    boot = ft_wire_payload(buffer, sizeof *boot);
    if (((struct ft_wire_head *)buffer)->type != FT_WIRE_BOOT || boot == NULL)
        ft_panic("ftrun and libft.so come from different builds");
    ft_life.boot = *boot;
    if (fd >= 0)
        ft_life.boot.recorder_fd = fd;
    keep_clusters(boot + 1);
}

void ft_start_boot(int control)
{
    ft_life.control = ft_files_own(control);
    if (ft_life.control == -EBADF)
        ft_panic("descriptor %d, named by " FT_WIRE_ENV ", is not open: start the program by ftrun",
                 control);
    if (ft_life.control < 0)
        ft_panic("too few descriptors are free for the runtime: raise the limit of open files "
                 "(ulimit -n)");
    say_hello();
    if (ft_life.boot.rank < 0) {
        int recorder = ft_zygote_run(); /* returns in the process of a rank */

        say_hello();
        ft_life.boot.recorder_fd = recorder;
        ft_libc_forked();
    }
    ft_base_rank_set(ft_life.boot.rank);
    map_recorder(ft_life.boot.recorder_fd);
    ft_fault_start();
    ft_fault_point(FT_POINT_EPOCH_START, ft_life.boot.epoch);
    map_pair();
    map_words();
}

void ft_start_orders(struct ft_rank *self)
{
    const struct ft_wire_boot *boot = &ft_life.boot;
    uint64_t every = boot->every;

    self->every_hook = every ? (self->hooks / every + 1) * every : UINT64_MAX;
    ft_fault_arm(self);
}
