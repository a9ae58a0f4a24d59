/* Objects that a program gets from the kernel and an image cannot hold: sockets, pipes, event and
 * timer descriptors, shared memory, semaphores and queues with names, POSIX timers, locale and
 * conversion objects, modules loaded later.
 *
 * Each is noted when the program makes it. While one is there, no image is taken, and the reason
 * names the call. A descriptor is recognized by its number together with its inode, and so are
 * its copies; objects without a number are counted. The table is of this process, and no
 * part of an image: while it has entries, no image is taken. */
#include "libc/state.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <iconv.h>
#include <link.h>
#include <mqueue.h>
#include <semaphore.h>
#include <stdarg.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define DESCRIPTORS 65536

struct foreign_descriptor {
    const char *call; /* that made it; NULL: none */
    dev_t device;
    ino_t inode;
};

static struct foreign_descriptor
    *descriptors;           /* [DESCRIPTORS], from libc's heap, made when needed */
static int descriptors_end; /* one more than the highest number noted */

enum counted { TIMER, ATTACHED, SEMAPHORE, LOCALE, CONVERSION, COUNTED };

static const char *const counted_reason[COUNTED] = {
    [TIMER] = "a timer of the program exists (timer_create)",
    [ATTACHED] = "shared memory of the program is attached (shmat)",
    [SEMAPHORE] = "a named semaphore of the program is open (sem_open)",
    [LOCALE] = "a locale object of the program exists (newlocale)",
    [CONVERSION] = "a conversion descriptor of the program is open (iconv_open)"};
static int counts[COUNTED];
static int modules_at_start; /* entries of the loader's list when this life began */

static void count_change(enum counted kind, int by)
{
    if (libc_asks() != NULL)
        __atomic_fetch_add(&counts[kind], by, __ATOMIC_RELAXED);
}

/* Notes a descriptor that the program made by `call`. Returns it. */
static int descriptor_note(int fd, const char *call)
{
    struct stat status;

    if (fd < 0 || fd >= DESCRIPTORS || libc_asks() == NULL || LIBC_NEXT(fstat)(fd, &status) != 0)
        return fd;
    if (descriptors == NULL) {
        ft_depth++;
        descriptors = calloc(DESCRIPTORS, sizeof *descriptors);
        ft_depth--;
    }
    if (descriptors == NULL)
        ft_panic("no memory for the table of descriptors");
    descriptors[fd] = (struct foreign_descriptor){call, status.st_dev, status.st_ino};
    if (fd >= descriptors_end)
        descriptors_end = fd + 1;
    return fd;
}

static int descriptor_is_open(int fd)
{
    struct stat status;

    return descriptors[fd].call != NULL && LIBC_NEXT(fstat)(fd, &status) == 0 &&
           status.st_dev == descriptors[fd].device && status.st_ino == descriptors[fd].inode;
}

/* A vforked child shares this table and has descriptors of its own. When it closes one, the
 * parent's stays open; so the rank's process alone clears an entry. */
static void descriptor_forget(int fd)
{
    if (fd >= 0 && fd < descriptors_end && descriptors[fd].call != NULL && libc_asks() != NULL &&
        libc_is_rank())
        descriptors[fd].call = NULL;
}

/* Notes `to`, a copy of the descriptor `from` that dup or fcntl made; -1: the call failed. Returns
 * `to`. */
static int descriptor_copied(int from, int to)
{
    if (to < 0 || to == from || descriptors_end == 0 || libc_asks() == NULL || !libc_is_rank())
        return to;
    if (from < descriptors_end && descriptor_is_open(from))
        return descriptor_note(to, descriptors[from].call);
    descriptor_forget(to);
    return to;
}

FT_EXPORT int close(int fd)
{
    descriptor_forget(fd);
    return LIBC_NEXT(close)(fd);
}

FT_EXPORT int dup(int fd)
{
    return descriptor_copied(fd, LIBC_NEXT(dup)(fd));
}

FT_EXPORT int dup2(int fd, int wanted)
{
    return descriptor_copied(fd, LIBC_NEXT(dup2)(fd, wanted));
}

FT_EXPORT int dup3(int fd, int wanted, int flags)
{
    return descriptor_copied(fd, LIBC_NEXT(dup3)(fd, wanted, flags));
}

/* A lock that one copy of a rank holds would keep the other one out (--replicas). */
static void lock_check(int locks, const char *call, const void *site)
{
    if (ft_unlikely(ft_life.pair != NULL) && locks && libc_asks() != NULL)
        ft_refuse(call, site,
                  "locks of files are not carried with two copies of each rank (--replicas): leave "
                  "it out for this program");
}

static int is_locking(int command)
{
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
           command == F_OFD_SETLKW;
}

FT_EXPORT int flock(int fd, int operation)
{
    lock_check(1, "flock", __builtin_return_address(0));
    return LIBC_NEXT(flock)(fd, operation);
}

FT_EXPORT int lockf(int fd, int command, off_t length)
{
    lock_check(command != F_TEST, "lockf", __builtin_return_address(0));
    return LIBC_NEXT(lockf)(fd, command, length);
}

/* The third argument is a number or a pointer, or there is none: it is passed on as it is. */
#define FCNTL(name)                                                                                \
    FT_EXPORT int name(int fd, int command, ...)                                                   \
    {                                                                                              \
        va_list list;                                                                              \
        void *argument;                                                                            \
        int answer;                                                                                \
        va_start(list, command);                                                                   \
        argument = va_arg(list, void *);                                                           \
        va_end(list);                                                                              \
        lock_check(is_locking(command), #name, __builtin_return_address(0));                       \
        answer = LIBC_NEXT(name)(fd, command, argument);                                           \
        if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)                                      \
            return descriptor_copied(fd, answer);                                                  \
        return answer;                                                                             \
    }

FCNTL(fcntl)
FCNTL(fcntl64)

#define MAKES_DESCRIPTOR(name, parameters, arguments)                                              \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        return descriptor_note(LIBC_NEXT(name) arguments, #name);                                  \
    }

MAKES_DESCRIPTOR(socket, (int domain, int type, int protocol), (domain, type, protocol))
MAKES_DESCRIPTOR(epoll_create, (int size), (size))
MAKES_DESCRIPTOR(epoll_create1, (int flags), (flags))
MAKES_DESCRIPTOR(eventfd, (unsigned count, int flags), (count, flags))
MAKES_DESCRIPTOR(timerfd_create, (clockid_t clock, int flags), (clock, flags))
MAKES_DESCRIPTOR(signalfd, (int fd, const sigset_t *mask, int flags), (fd, mask, flags))
MAKES_DESCRIPTOR(inotify_init, (void), ())
MAKES_DESCRIPTOR(inotify_init1, (int flags), (flags))
MAKES_DESCRIPTOR(memfd_create, (const char *name, unsigned flags), (name, flags))
MAKES_DESCRIPTOR(shm_open, (const char *name, int flags, mode_t mode), (name, flags, mode))

FT_EXPORT int accept(int fd, struct sockaddr *restrict address, socklen_t *restrict length)
{
    return descriptor_note(LIBC_NEXT(accept)(fd, address, length), "accept");
}

FT_EXPORT int accept4(int fd, struct sockaddr *restrict address, socklen_t *restrict length,
                      int flags)
{
    return descriptor_note(LIBC_NEXT(accept4)(fd, address, length, flags), "accept4");
}

static int pair_note(int code, const int fd[2], const char *call)
{
    if (code == 0) {
        descriptor_note(fd[0], call);
        descriptor_note(fd[1], call);
    }
    return code;
}

FT_EXPORT int pipe(int fd[2])
{
    return pair_note(LIBC_NEXT(pipe)(fd), fd, "pipe");
}

FT_EXPORT int pipe2(int fd[2], int flags)
{
    return pair_note(LIBC_NEXT(pipe2)(fd, flags), fd, "pipe2");
}

FT_EXPORT int socketpair(int domain, int type, int protocol, int fd[2])
{
    return pair_note(LIBC_NEXT(socketpair)(domain, type, protocol, fd), fd, "socketpair");
}

FT_EXPORT mqd_t mq_open(const char *name, int flags, ...)
{
    va_list list;
    mode_t mode;
    struct mq_attr *attributes;

    va_start(list, flags);
    mode = va_arg(list, mode_t);
    attributes = va_arg(list, struct mq_attr *);
    va_end(list);
    return descriptor_note(LIBC_NEXT(mq_open)(name, flags, mode, attributes), "mq_open");
}

FT_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event,
                           timer_t *restrict timer)
{
    int code = LIBC_NEXT(timer_create)(clock, event, timer);

    count_change(TIMER, code == 0);
    return code;
}

FT_EXPORT int timer_delete(timer_t timer)
{
    int code = LIBC_NEXT(timer_delete)(timer);

    count_change(TIMER, -(code == 0));
    return code;
}

FT_EXPORT void *shmat(int id, const void *address, int flags)
{
    void *at = LIBC_NEXT(shmat)(id, address, flags);

    count_change(ATTACHED, at != (void *)-1);
    return at;
}

FT_EXPORT int shmdt(const void *address)
{
    int code = LIBC_NEXT(shmdt)(address);

    count_change(ATTACHED, -(code == 0));
    return code;
}

FT_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    va_list list;
    mode_t mode;
    unsigned value;
    sem_t *semaphore;

    va_start(list, flags);
    mode = va_arg(list, mode_t);
    value = va_arg(list, unsigned);
    va_end(list);
    semaphore = LIBC_NEXT(sem_open)(name, flags, mode, value);
    count_change(SEMAPHORE, semaphore != SEM_FAILED);
    return semaphore;
}

FT_EXPORT int sem_close(sem_t *semaphore)
{
    int code = LIBC_NEXT(sem_close)(semaphore);

    count_change(SEMAPHORE, -(code == 0));
    return code;
}

/* The "C" locale's object is a static one of libc. */
static int is_made(locale_t locale)
{
    static locale_t c_locale;

    if (c_locale == (locale_t)0)
        c_locale = LIBC_NEXT(newlocale)(LC_ALL_MASK, "C", (locale_t)0);
    return locale != (locale_t)0 && locale != c_locale && locale != LC_GLOBAL_LOCALE;
}

FT_EXPORT locale_t newlocale(int mask, const char *name, locale_t base)
{
    int consumed = is_made(base);
    locale_t locale = LIBC_NEXT(newlocale)(mask, name, base);

    if (locale != (locale_t)0)
        count_change(LOCALE, is_made(locale) - consumed);
    return locale;
}

FT_EXPORT locale_t duplocale(locale_t locale)
{
    locale_t copy = LIBC_NEXT(duplocale)(locale);

    count_change(LOCALE, is_made(copy));
    return copy;
}

FT_EXPORT void freelocale(locale_t locale)
{
    count_change(LOCALE, -is_made(locale));
    LIBC_NEXT(freelocale)(locale);
}

FT_EXPORT iconv_t iconv_open(const char *to, const char *from)
{
    iconv_t conversion = LIBC_NEXT(iconv_open)(to, from);

    count_change(CONVERSION, conversion != (iconv_t)-1);
    return conversion;
}

FT_EXPORT int iconv_close(iconv_t conversion)
{
    int code = LIBC_NEXT(iconv_close)(conversion);

    count_change(CONVERSION, -(code == 0));
    return code;
}

void libc_foreign_start(void)
{
    modules_at_start = 0;
    for (const struct link_map *module = _r_debug.r_map; module != NULL; module = module->l_next)
        modules_at_start++;
}

/* Had the loader mapped the module before the MPI library loaded its plugins? Such a module has the
 * same address in each process of the rank. glibc appends to its list of modules. */
static int module_stays(const void *handle)
{
    const struct link_map *module = _r_debug.r_map;

    for (int i = 0; i < modules_at_start && module != NULL; i++, module = module->l_next)
        if (module == handle)
            return 1;
    return 0;
}

/* Refuses a module that the program loads later, because it would lie at another address in the
 * rank's next process. A module that was there at the start is opened. For one that does not exist
 * dlopen fails as in libc. */
FT_EXPORT void *dlopen(const char *name, int flags)
{
    void *handle = LIBC_NEXT(dlopen)(name, flags);

    if (handle != NULL && !(flags & RTLD_NOLOAD) && libc_asks() != NULL && ft_self != NULL &&
        !module_stays(handle))
        ft_refuse("dlopen", __builtin_return_address(0),
                  "a module loaded by the running program cannot be carried: link the program "
                  "with it");
    return handle;
}

const char *libc_foreign_obstacle(void)
{
    static char reason[160];

    for (int kind = 0; kind < COUNTED; kind++)
        if (__atomic_load_n(&counts[kind], __ATOMIC_RELAXED) > 0)
            return counted_reason[kind];
    for (int fd = 0; fd < descriptors_end; fd++)
        if (descriptor_is_open(fd)) {
            snprintf(reason, sizeof reason,
                     "descriptor %d of the program is open, made by %s: close it before the next "
                     "checkpoint",
                     fd, descriptors[fd].call);
            return reason;
        }
    return NULL;
}
