/* stores: manifests are read without the store's lock, so that a running job can be asked about,
 * too; a checkpoint that goes meanwhile is left out. */
#include "launch/stores.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "console/say.h"
#include "host/program.h"
#include "store/store.h"

/* A checkpoint that can be read. */
struct found {
    struct ft_manifest *manifest;
    time_t when;
    uint64_t bytes;
};

/* A store: its checkpoints, and whether it is in use. */
struct account {
    const char *path;
    struct found *found; /* newest first */
    int count;
    int used; /* an ftrun holds its lock */
};

static int newest_first(const void *one, const void *other)
{
    const struct found *a = one, *b = other;

    return (a->manifest->checkpoint < b->manifest->checkpoint) -
           (a->manifest->checkpoint > b->manifest->checkpoint);
}

static void checkpoint_add(struct account *account, const char *folder, const char *name)
{
    char path[FT_STORE_PATH], why[FT_STORE_WHY];
    struct found found = {0}, *more;
    struct stat status;

    if (strncmp(name, "ckpt-", 5) || strspn(name + 5, "0123456789") != strlen(name + 5))
        return;
    snprintf(path, sizeof(path), "%s/%s/manifest.json", folder, name);
    if (stat(path, &status) || ft_manifest_read(path, &found.manifest, why))
        return;
    found.when = status.st_mtime;
    for (int i = 0; i < found.manifest->count; i++)
        found.bytes += found.manifest->ranks[i].bytes;
    more = realloc(account->found, ((size_t)account->count + 1) * sizeof(*more));
    if (!more)
        abort();
    account->found = more;
    more[account->count++] = found;
}

/* Does an ftrun hold the lock? */
static int is_used(const char *path)
{
    char lock[FT_STORE_PATH];
    int fd, used;

    snprintf(lock, sizeof(lock), "%s/lock", path);
    fd = open(lock, O_RDONLY | O_CLOEXEC);
    used = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return used;
}

/* 0 or -errno. */
static int folder_read(const char *path, struct account *account)
{
    DIR *folder = opendir(path);

    if (!folder)
        return -errno;
    for (struct dirent *entry; (entry = readdir(folder));)
        checkpoint_add(account, path, entry->d_name);
    closedir(folder);
    return 0;
}

/* The checkpoints of second copies count as well (store/copies.c). 0, or -errno: it is no store. */
static int account_read(const char *path, struct account *account)
{
    char other[FT_STORE_PATH];
    int code;

    *account = (struct account){.path = path};
    snprintf(other, sizeof(other), "%s/lock", path);
    if (access(other, F_OK))
        return access(path, F_OK) ? -errno : -ENOTEMPTY;
    if ((code = folder_read(path, account)))
        return code;
    snprintf(other, sizeof(other), "%s/copy-1", path);
    folder_read(other, account);
    account->used = is_used(path);
    if (account->count)
        qsort(account->found, (size_t)account->count, sizeof(*account->found), newest_first);
    return 0;
}

static void account_free(struct account *account)
{
    for (int i = 0; i < account->count; i++)
        ft_manifest_destroy(account->found[i].manifest);
    free(account->found);
}

/* The newest checkpoint from which the job can be continued, or NULL. */
static const struct found *continuable(const struct account *account)
{
    for (int i = 0; i < account->count; i++)
        if (account->found[i].manifest->continues)
            return &account->found[i];
    return NULL;
}

static void hooks_range(const struct ft_manifest *manifest, uint64_t *low, uint64_t *high)
{
    *low = UINT64_MAX;
    *high = 0;
    for (int i = 0; i < manifest->count; i++) {
        uint64_t hooks = manifest->ranks[i].hooks;

        *low = hooks < *low ? hooks : *low;
        *high = hooks > *high ? hooks : *high;
    }
}

static const char *age(time_t when, char text[32])
{
    double seconds = difftime(time(NULL), when);

    if (seconds < 120)
        snprintf(text, 32, "%.0f s ago", seconds);
    else if (seconds < 7200)
        snprintf(text, 32, "%.0f min ago", seconds / 60);
    else if (seconds < 172800)
        snprintf(text, 32, "%.0f h ago", seconds / 3600);
    else
        snprintf(text, 32, "%.0f days ago", seconds / 86400);
    return text;
}

static void command_print(const struct ft_manifest *manifest)
{
    for (char **word = manifest->argv; *word; word++)
        printf("%s%s", word == manifest->argv ? "" : " ", *word);
}

/* Why nothing continues the job, or NULL. */
static const char *hindrance(const struct account *account)
{
    const struct found *from = continuable(account);

    if (account->used)
        return "an ftrun is using the store";
    if (!from)
        return account->count ? "no checkpoint in it is one of all ranks"
                              : "it holds no checkpoint";
    if (access(from->manifest->program, X_OK))
        return "its program is not there any more";
    if (access(from->manifest->cwd, X_OK))
        return "its working directory is not there any more";
    return NULL;
}

/* ---- Answers ---- */

static void line_print(const struct account *account)
{
    const struct found *newest = account->count ? account->found : NULL;
    uint64_t low, high;
    char text[32];

    printf("%s: ", account->path);
    if (!newest) {
        printf("no checkpoint%s\n", account->used ? ", in use" : "");
        return;
    }
    hooks_range(newest->manifest, &low, &high);
    command_print(newest->manifest);
    printf(", %d ranks, checkpoint %u at hook %llu, %.1f MB, %s%s\n", newest->manifest->size,
           newest->manifest->checkpoint, (unsigned long long)low, (double)newest->bytes / 1e6,
           age(newest->when, text), account->used ? ", in use" : "");
}

/* The stores that nobody has named, in the working folder. */
static int list(void)
{
    DIR *folder = opendir(FT_STORE_STANDARD);
    int count = 0;

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[FT_STORE_PATH];
        struct account account;

        snprintf(path, sizeof(path), FT_STORE_STANDARD "/%s", entry->d_name);
        if (entry->d_name[0] == '.' || account_read(path, &account))
            continue;
        line_print(&account);
        account_free(&account);
        count++;
    }
    if (folder)
        closedir(folder);
    if (!count)
        puts("no store in " FT_STORE_STANDARD " of this folder");
    return 0;
}

static void ranks_print(const struct found *found)
{
    for (int i = 0; i < found->manifest->count; i++) {
        const struct ft_manifest_rank *rank = &found->manifest->ranks[i];

        printf("    rank %-6d hook %-10llu %10.1f MB", rank->rank, (unsigned long long)rank->hooks,
               (double)rank->bytes / 1e6);
        if (found->manifest->cluster >= 0)
            printf("   cluster %d, %llu outcomes recorded before", rank->cluster,
                   (unsigned long long)rank->determinants);
        putchar('\n');
    }
}

static void checkpoint_print(const struct found *found, int ranks)
{
    const struct ft_manifest *manifest = found->manifest;
    uint64_t low, high;
    char moment[32], text[32];
    struct tm local;

    hooks_range(manifest, &low, &high);
    strftime(moment, sizeof(moment), "%F %T", localtime_r(&found->when, &local));
    printf("  checkpoint %-5u %s (%s), hook %llu", manifest->checkpoint, moment,
           age(found->when, text), (unsigned long long)low);
    if (high != low)
        printf(" to %llu", (unsigned long long)high);
    printf(", %d of %d ranks, %.1f MB%s\n", manifest->count, manifest->size,
           (double)found->bytes / 1e6, manifest->continues ? "" : ", continues no job");
    if (ranks)
        ranks_print(found);
}

static int status(const char *path, int ranks)
{
    struct account account;
    int code = account_read(path, &account);

    if (code)
        return ft_say_and(FT_EXIT_USAGE, "%s: %s", path,
                          code == -ENOTEMPTY ? "it is no store of ftrun's" : strerror(-code));
    const char *why = hindrance(&account);
    printf("%s%s\n", path, account.used ? ": in use" : "");
    if (account.count) {
        printf("  program    %s\n  command    ", account.found->manifest->program);
        command_print(account.found->manifest);
        printf("\n  folder     %s\n  ranks      %d\n", account.found->manifest->cwd,
               account.found->manifest->size);
    }
    for (int i = 0; i < account.count; i++)
        checkpoint_print(&account.found[i], ranks);
    if (why)
        printf("  it cannot be continued: %s\n", why);
    else
        printf("  to continue: ftrun --restart --store %s\n", path);
    account_free(&account);
    return 0;
}

static int remove_store(const char *path)
{
    char why[FT_STORE_WHY];
    struct ft_store *store;

    if (ft_store_open(path, 0, &store, why))
        return ft_say_and(FT_EXIT_USAGE, "%s", why);
    ft_store_close(store, 1);
    if (rmdir(path) && errno != ENOENT)
        return ft_say_and(1, "%s: emptied, but the folder stays: %s", path, strerror(errno));
    return 0;
}

/* ---- The machine ---- */

static int bad(const char *what, const char *remedy)
{
    printf("  NO  %s: %s\n", what, remedy);
    return 1;
}

static int check(int holds, const char *what, const char *remedy)
{
    if (!holds)
        return bad(what, remedy);
    printf("  ok  %s\n", what);
    return 0;
}

static int has_tool(const char *name)
{
    char *found = ft_program_find(name, "/nonexistent");

    free(found);
    return found != NULL;
}

static int doctor(void)
{
    int now = personality(0xffffffff), wrong = 0;
    struct statvfs shared;
    struct rlimit files;
    uint64_t room = statvfs("/dev/shm", &shared) ? 0 : (uint64_t)shared.f_bavail * shared.f_frsize;

    puts("ftrun " FT_VERSION " on this machine:");
    wrong |= check(now >= 0 && personality((unsigned long)now | ADDR_NO_RANDOMIZE) >= 0,
                   "programs can be started at fixed addresses (personality(2))",
                   "only --protocol coordinated works, and no --restart; docker: --security-opt "
                   "seccomp=unconfined");
    wrong |= check(room >= 64u << 20, "/dev/shm has 64 MB free",
                   "MPICH's shared memory lies there; docker: --shm-size 1g");
    wrong |= check(!getrlimit(RLIMIT_NOFILE, &files) && files.rlim_max >= 4096,
                   "a process may open 4096 files",
                   "ftrun has some for each rank; raise the limit: ulimit -Hn 65536");
    wrong |= check(access("/proc/self/syscall", R_OK) == 0, "/proc tells where a process stands",
                   "a rank that computes is called at its next MPI call only");
    wrong |= check(access(".", W_OK) == 0, "this folder can be written (.ftrun, for checkpoints)",
                   "name another one with --store");
    wrong |= check(has_tool("addr2line"), "addr2line names source lines",
                   "messages have addresses instead; install binutils");
    return wrong;
}

int ft_stores_answer(const struct ft_options *options)
{
    int code = 0;

    switch (options->question) {
    case FT_QUESTION_LIST:
        code = list();
        break;
    case FT_QUESTION_STATUS:
        code = status(options->store, 0);
        break;
    case FT_QUESTION_INSPECT:
        code = status(options->store, 1);
        break;
    case FT_QUESTION_REMOVE:
        return remove_store(options->store);
    default:
        code = doctor();
        break;
    }
    if (fflush(stdout))
        return ft_say_and(FT_EXIT_USAGE, "standard output: %s", strerror(errno));
    return code;
}
