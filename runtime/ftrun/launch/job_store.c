/* The store of a run (job_store.h). */
#include "launch/job_store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "recover/recover.h"

/* How many checkpoints the store holds, or -1 behind a message; it is kept if any. */
static int count_checkpoints(struct ft_run *run)
{
    uint32_t *numbers;
    int count = ft_store_list(run->store, &numbers);

    free(numbers);
    run->keep_store = count != 0;
    if (count >= 0)
        return count;
    ft_say("the store %s cannot be read: %s", ft_store_path(run->store), strerror(-count));
    return -1;
}

/* The store that the user has named. 0 or an exit code. */
static int open_named_store(struct ft_run *run)
{
    char why[FT_STORE_WHY];

    if (ft_store_open(run->options.store, 1, &run->store, why))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    int count = count_checkpoints(run);
    if (count > 0)
        ft_say("the store %s holds checkpoints of an earlier run: continue it with --restart, or "
               "remove the store",
               ft_store_path(run->store));
    return count ? FT_EXIT_USAGE : 0;
}

/* .ftrun/PROGRAM.PID, or PROGRAM.PID.2, ...: in a container each job may have the same number. 0 or
 * an exit code. */
static int open_standard_store(struct ft_run *run)
{
    char why[FT_STORE_WHY], path[FT_STORE_PATH];
    const char *name = strrchr(run->program.path, '/') + 1;
    int length =
        snprintf(path, sizeof(path), "./" FT_STORE_STANDARD "/%.200s.%d", name, (int)getpid());

    for (int i = 2;; i++) {
        int code = ft_store_open(path, 1, &run->store, why);

        if (code && code != -EBUSY && code != -ENOTEMPTY)
            return ft_say_and(FT_EXIT_USAGE, "%s; name another one with --store", why);
        int count = code ? 1 : count_checkpoints(run);
        if (count <= 0)
            return count ? FT_EXIT_USAGE : 0;
        if (!code) {
            ft_say("the store %s of an earlier run stays: continue that with --restart, or remove "
                   "the store",
                   ft_store_path(run->store));
            ft_store_close(run->store, 0);
            run->store = NULL;
        }
        snprintf(path + length, sizeof(path) - (size_t)length, ".%d", i);
    }
}

int ft_job_store_open(struct ft_run *run)
{
    int code = run->options.store ? open_named_store(run) : open_standard_store(run);

    if (!code)
        ft_store_empty(run->store);
    return code;
}

/* Opens the file of the marks; of a job that is continued it has to be there. 0 or an error number.
 */
static int open_marks(const struct ft_run *run, const char *path, size_t bytes, int *fd)
{
    struct stat status;

    *fd = open(path, O_RDWR | O_CLOEXEC | (run->options.restart ? 0 : O_CREAT | O_TRUNC), 0600);
    if (*fd < 0)
        return errno;
    if (!run->options.restart)
        return posix_fallocate(*fd, 0, (off_t)bytes);
    if (fstat(*fd, &status))
        return errno;
    return status.st_size == (off_t)bytes ? 0 : EBADMSG;
}

/* Writes the first marks of a new job to the disk, so that a machine that fails leaves them whole.
 * 0 or an error number. */
static int make_marks(struct ft_run *run, size_t bytes)
{
    for (int i = 0; i < 2 * run->size; i++)
        ft_mark_write(&run->marks[i], i, &(struct ft_mark){0});
    return msync(run->marks, bytes, MS_SYNC) ? errno : 0;
}

/* Reads the marks of a job that is continued, and warns of marks that are older than its newest
 * checkpoint: a machine that fails may leave such. 0 or an error number. */
static int check_marks(const struct ft_run *run, const char *path)
{
    const struct ft_manifest *newest = run->old.list[run->old.count - 1];
    struct ft_mark mark;
    int code = 0, older = 0;

    for (int i = 0; !code && i < 2 * run->size; i++) {
        const struct ft_mark position = {newest->output[i].lines, newest->output[i].partial};

        code = -ft_mark_read(&run->marks[i], i, &mark);
        older |= !code && ft_mark_precedes(&mark, &position);
    }
    if (!code && older)
        ft_say("warning: %s is older than checkpoint %u: lines behind it may be printed twice",
               path, newest->checkpoint);
    return code;
}

int ft_job_store_map_marks(struct ft_run *run)
{
    char path[FT_STORE_PATH];
    size_t bytes = (size_t)run->size * 2 * sizeof(*run->marks);
    int fd;

    ft_store_file(run->store, "output", path);
    int code = open_marks(run, path, bytes, &fd);
    void *marks = code ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!code && marks == MAP_FAILED)
        code = errno;
    if (fd >= 0)
        close(fd);
    if (!code) {
        run->marks = marks;
        code = run->options.restart ? check_marks(run, path) : make_marks(run, bytes);
    }
    if (run->options.restart && (code == ENOENT || code == EBADMSG))
        return ft_say_and(1,
                          "%s is %s: nobody knows which lines are printed already, so the job "
                          "cannot be continued; start without --restart, with a new --store",
                          path, code == ENOENT ? "missing" : "damaged");
    return code ? ft_say_and(FT_EXIT_USAGE, "%s: %s", path, strerror(code)) : 0;
}

/* Makes the folder `name` in the store, whose path is written into path. 0 or an exit code. */
static int make_folder(struct ft_run *run, const char *name, char *path)
{
    ft_store_file(run->store, name, path);
    return mkdir(path, 0700) && errno != EEXIST
               ? ft_say_and(FT_EXIT_USAGE, "%s: %s", path, strerror(errno))
               : 0;
}

/* Makes the folders into which ranks write the part of their logs that does not fit into memory. 0
 * or an exit code. */
static int make_log_folders(struct ft_run *run)
{
    char name[64], path[FT_STORE_PATH];
    int code = ft_run_contains(run) ? make_folder(run, "log", path) : 0;

    for (int i = 0; !code && ft_run_contains(run) && i < run->size; i++) {
        snprintf(name, sizeof(name), "log/rank-%d", i);
        code = make_folder(run, name, path);
    }
    return code;
}

static int make_undo_folders(struct ft_run *run)
{
    char name[64], path[FT_STORE_PATH];
    int code = make_folder(run, "undo", path);

    if (code)
        return code;
    for (int i = 0; i < run->size; i++) {
        snprintf(name, sizeof(name), "undo/rank-%d", i);
        if ((code = make_folder(run, name, path)))
            return code;
        if (!(run->members[i].cluster->undo[run->members[i].place] = strdup(path)))
            return ft_say_and(1, "no memory");
    }
    return 0;
}

int ft_job_store_make_folders(struct ft_run *run)
{
    int code = make_undo_folders(run);

    return code ? code : make_log_folders(run);
}
