/* Idea: parent and child share one page: the child writes there what it does and where its
 * temporary files are, and the parent reads it when the child is gone.
 *
 * The limit counts the processor time of ftcc itself, so that a busy machine does not matter. */
#include "ftcc/guard.h"
#include "ftcc/toolchain.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ANALYSIS_SECONDS = 120, JOIN_SECONDS = 600, WORKERS = 64, STACK_BYTES = 100 << 20 };

static struct shared {
    enum cc_stage stage;
    char folder[PATH_MAX - 512]; /* "" when there is none */
} alone, *shared = &alone;

/* Deeply nested code is walked by recursion; the compiler gets the stack that it would have without
 * ftcc. */
static void stack_set(bool deep)
{
    static struct rlimit before;
    if (before.rlim_max == 0 && getrlimit(RLIMIT_STACK, &before) != 0)
        return;
    struct rlimit limit = before;
    if (deep && limit.rlim_cur < STACK_BYTES)
        limit.rlim_cur = limit.rlim_max < STACK_BYTES ? limit.rlim_max : STACK_BYTES;
    setrlimit(RLIMIT_STACK, &limit);
}

void cc_guard_stage(enum cc_stage stage)
{
    static const time_t seconds[] = {
        [CC_ANALYSING] = ANALYSIS_SECONDS, [CC_BUILDING] = 0, [CC_JOINING] = JOIN_SECONDS};
    shared->stage = stage;
    stack_set(stage != CC_BUILDING);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {seconds[stage], 0}}, NULL);
}

const char *cc_guard_folder(void)
{
    const char *root = getenv("TMPDIR");
    if (*shared->folder)
        return shared->folder;
    char name[sizeof shared->folder];
    if (snprintf(name, sizeof name, "%s/ftcc-XXXXXX", root && *root ? root : "/tmp") >=
        (int)sizeof name) {
        errno = ENAMETOOLONG;
        return NULL;
    }
    /* The parent must know the folder however soon the child ends: its name is known before it. */
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    bool made = mkdtemp(name) != NULL;
    if (made)
        snprintf(shared->folder, sizeof shared->folder, "%s", name);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return made ? shared->folder : NULL;
}

static int entry_remove(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

static void folder_remove(void)
{
    if (*shared->folder)
        nftw(shared->folder, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
    *shared->folder = '\0';
}

static _Noreturn void child_run(int (*work)(void *context), void *context, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        raise(SIGTERM);
    int code = work(context);
    cc_guard_stage(CC_BUILDING);
    fflush(NULL);
    if (cc_toolchain_signal()) {
        signal(cc_toolchain_signal(), SIG_DFL);
        raise(cc_toolchain_signal());
    }
    exit(code);
}

/* SIGKILL is what the kernel sends to the process that uses up the memory. */
static bool is_crash(int signal_number)
{
    static const int crashes[] = {SIGSEGV, SIGBUS,  SIGABRT, SIGILL, SIGFPE,
                                  SIGSYS,  SIGTRAP, SIGPROF, SIGKILL};
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++)
        if (signal_number == crashes[i])
            return true;
    return false;
}

static struct cc_end end_of(int status)
{
    struct cc_end end = {WEXITSTATUS(status), 0, shared->stage};
    if (!WIFSIGNALED(status))
        return end;
    end.code = 128 + WTERMSIG(status);
    if (is_crash(WTERMSIG(status)) && end.stage != CC_BUILDING)
        end.crash = WTERMSIG(status);
    return end;
}

struct cc_end cc_guard_run(int (*work)(void *context), void *context)
{
    void *page =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED)
        shared = page;
    fflush(NULL);
    pid_t parent = getpid(), child = page == MAP_FAILED ? -1 : fork();
    if (child == 0)
        child_run(work, context, parent);
    struct cc_end end = {0, 0, CC_BUILDING};
    if (child > 0)
        end = end_of(cc_toolchain_await(child));
    else
        end.code = work(context);
    folder_remove();
    return end;
}

/* ---- Several at once ---- */

struct worker {
    pid_t pid;       /* 0: free */
    int file;        /* what it writes */
    unsigned number; /* of its share */
};

static _Noreturn void worker_run(void (*work)(void *context, unsigned number, FILE *out),
                                 void *context, const struct worker *worker)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    cc_guard_stage(CC_ANALYSING);
    FILE *out = fdopen(worker->file, "w");
    if (!out)
        abort();
    work(context, worker->number, out);
    if (fclose(out) != 0)
        abort();
    _exit(0);
}

static void share_read(struct worker *worker, int status, struct cc_share *share)
{
    struct stat size;
    share->crash = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) ? SIGABRT : 0;
    if (fstat(worker->file, &size) == 0 && (share->bytes.text = malloc((size_t)size.st_size + 1))) {
        ssize_t length = pread(worker->file, share->bytes.text, (size_t)size.st_size, 0);
        share->bytes.length = length < 0 ? 0 : (size_t)length;
    }
    close(worker->file);
    worker->pid = 0;
}

/* Waits until one of the workers ends. */
static void worker_await(struct worker *workers, unsigned count, struct cc_share *shares)
{
    int status;
    pid_t pid = wait(&status);
    for (unsigned i = 0; i < count; i++)
        if (workers[i].pid && (workers[i].pid == pid || pid < 0))
            share_read(&workers[i], pid < 0 ? SIGABRT : status, &shares[workers[i].number]);
}

static struct worker *worker_free(struct worker *workers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (workers[i].pid == 0)
            return &workers[i];
    return NULL;
}

void cc_guard_each(unsigned count, void (*work)(void *context, unsigned number, FILE *out),
                   void *context, struct cc_share *shares)
{
    struct worker workers[WORKERS] = {{0, 0, 0}};
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned limit = processors < 1 ? 1 : processors > WORKERS ? WORKERS : (unsigned)processors;
    fflush(NULL);
    for (unsigned i = 0; i < count; i++) {
        struct worker *worker;
        while (!(worker = worker_free(workers, limit)))
            worker_await(workers, limit, shares);
        worker->number = i;
        worker->file = memfd_create("ftcc", MFD_CLOEXEC);
        worker->pid = worker->file < 0 ? -1 : fork();
        if (worker->pid == 0)
            worker_run(work, context, worker);
        if (worker->pid < 0)
            share_read(worker, SIGABRT, &shares[i]);
    }
    for (unsigned i = 0; i < limit; i++)
        while (workers[i].pid)
            worker_await(workers, limit, shares);
}
