/* Process-wide state that the kernel and libc keep: folder, umask, limits, priority, locale,
 * processor time. Read at the save, put back at the restore. */
#include "libc/state.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void limit_note(int resource)
{
    struct ft_libc *libc = libc_asks();

    if (libc != NULL && resource >= 0 && resource < RLIM_NLIMITS)
        libc->process.limits |= 1U << resource;
}

FT_EXPORT int setrlimit(__rlimit_resource_t resource, const struct rlimit *limit)
{
    int code = LIBC_NEXT(setrlimit)(resource, limit);

    if (code == 0)
        limit_note((int)resource);
    return code;
}

FT_EXPORT int setrlimit64(__rlimit_resource_t resource, const struct rlimit64 *limit)
{
    int code = LIBC_NEXT(setrlimit64)(resource, limit);

    if (code == 0)
        limit_note((int)resource);
    return code;
}

FT_EXPORT int prlimit(pid_t pid, __rlimit_resource_t resource, const struct rlimit *limit,
                      struct rlimit *old)
{
    int code = LIBC_NEXT(prlimit)(pid, resource, limit, old);

    if (code == 0 && limit != NULL && (pid == 0 || pid == getpid()))
        limit_note((int)resource);
    return code;
}

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

clock_t ft_libc_clock(void)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL)
        return LIBC_NEXT(clock)();
    return (clock_t)((cpu_seconds() + libc->process.cpu_offset) * CLOCKS_PER_SEC);
}

static char *copy_string(char *old, const char *string)
{
    return strcpy(ft_image_realloc(old, strlen(string) + 1), string);
}

void libc_process_save(struct ft_libc *libc)
{
    struct libc_process *process = &libc->process;
    char *directory = getcwd(NULL, 0);

    process->directory = copy_string(process->directory, directory ? directory : "");
    free(directory);
    process->umask = umask(0);
    umask(process->umask);
    process->nice = getpriority(PRIO_PROCESS, 0);
    for (int resource = 0; resource < RLIM_NLIMITS; resource++)
        if (process->limits >> resource & 1)
            getrlimit((__rlimit_resource_t)resource, &process->limit[resource]);
    process->cpu_saved = cpu_seconds() + process->cpu_offset;
    process->locale = copy_string(process->locale, setlocale(LC_ALL, NULL));
    process->thread_locale = uselocale((locale_t)0);
}

static int locale_restore(const struct libc_process *process)
{
    if (strcmp(setlocale(LC_ALL, NULL), process->locale) != 0 &&
        setlocale(LC_ALL, process->locale) == NULL) {
        ft_warn("the locale %s is no longer there", process->locale);
        return -ENOENT;
    }
    if (process->thread_locale != LC_GLOBAL_LOCALE)
        uselocale(process->thread_locale);
    return 0;
}

int libc_process_restore(struct ft_libc *libc)
{
    struct libc_process *process = &libc->process;

    if (process->directory[0] != 0 && chdir(process->directory) != 0) {
        int code = -errno;

        ft_warn("the working directory %s cannot be entered", process->directory);
        return code;
    }
    umask(process->umask);
    if (getpriority(PRIO_PROCESS, 0) != process->nice)
        setpriority(PRIO_PROCESS, 0, process->nice);
    for (int resource = 0; resource < RLIM_NLIMITS; resource++)
        if (process->limits >> resource & 1)
            LIBC_NEXT(setrlimit)((__rlimit_resource_t)resource, &process->limit[resource]);
    process->cpu_offset = process->cpu_saved - cpu_seconds();
    return locale_restore(process);
}
