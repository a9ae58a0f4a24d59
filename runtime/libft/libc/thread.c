/* Threads of the program, and its thread-specific data.
 *
 * A thread that the program creates runs at depth 0, so its memory comes from the image; but the
 * thread itself cannot be carried: as long as one is alive, or has ended and waits to be joined, no
 * image is taken. libgomp's pool is let go for that. Threads of the MPI library stay at depth 1;
 * those that a constructor of the program's libraries makes before main are the program's
 * (heap/early.h). The values of keys that the program made lie in libc's thread block; those of the
 * main thread are carried, and the keys get their old numbers, which no library has taken before
 * the restore.
 *
 * Thread rule: the table of threads is locked; it belongs to this process and not to the image. */
#include "libc/state.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

#include "heap/early.h"

#define RELEASE_WAIT 2000 /* milliseconds that libgomp's threads get for ending */

extern int omp_pause_resource_all(int kind) __attribute__((weak));
extern int omp_get_level(void) __attribute__((weak));
int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *module);
int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *));

struct program_thread {
    struct program_thread *next;
    void *(*function)(void *);
    void *argument;
    pthread_t id;
    int started; /* id is valid */
    int ended;
    int detached;
    int pooled;          /* made by the OpenMP runtime */
    int outer;           /* and by the main thread */
    int destructors;     /* it has thread-local objects that are destroyed at its end */
    const void *content; /* what it had in an earlier life (workers.c), or NULL */
};

static pthread_mutex_t threads_lock = PTHREAD_MUTEX_INITIALIZER;
static struct program_thread *threads; /* from libc's heap */
static pthread_key_t end_key;          /* its destructor sees a thread's end, however it ends */
static pthread_once_t end_key_once = PTHREAD_ONCE_INIT;

/* Takes a thread out of the list and frees it. Locked by the caller. */
static void thread_forget(struct program_thread *thread)
{
    struct program_thread **link = &threads;

    while (*link != thread)
        link = &(*link)->next;
    *link = thread->next;
    free(thread);
}

static void thread_ended(void *argument)
{
    struct program_thread *thread = argument;

    pthread_mutex_lock(&threads_lock);
    thread->ended = 1;
    if (thread->detached)
        thread_forget(thread);
    pthread_mutex_unlock(&threads_lock);
}

static void end_key_create(void)
{
    LIBC_NEXT(pthread_key_create)(&end_key, thread_ended);
}

static void *thread_run(void *argument)
{
    struct program_thread *thread = argument;
    void *(*function)(void *) = thread->function;
    void *function_argument = thread->argument;

    pthread_setspecific(end_key, thread);
    libc_workers_put(thread->content);
    ft_depth = 0;
    return function(function_argument);
}

static int is_detached(const pthread_attr_t *attributes)
{
    int state = PTHREAD_CREATE_JOINABLE;

    if (attributes != NULL)
        pthread_attr_getdetachstate(attributes, &state);
    return state == PTHREAD_CREATE_DETACHED;
}

static struct program_thread *thread_add(void *(*function)(void *), void *argument, int detached)
{
    struct program_thread *thread = calloc(1, sizeof *thread);

    if (thread == NULL)
        return NULL;
    thread->function = function;
    thread->argument = argument;
    thread->detached = detached;
    pthread_mutex_lock(&threads_lock);
    thread->next = threads;
    threads = thread;
    pthread_mutex_unlock(&threads_lock);
    return thread;
}

/* It makes all its threads at one or two places. */
static int is_openmp(const void *caller)
{
    static const void *last;
    Dl_info one, other;

    if (omp_pause_resource_all == NULL)
        return 0;
    if (caller == __atomic_load_n(&last, __ATOMIC_RELAXED))
        return 1;
    if (dladdr(caller, &one) == 0 || dladdr((const void *)&omp_pause_resource_all, &other) == 0 ||
        one.dli_fbase != other.dli_fbase)
        return 0;
    __atomic_store_n(&last, caller, __ATOMIC_RELAXED);
    return 1;
}

/* Places a new thread by its maker. Threads of inner teams have makers that are noted. */
static void thread_place(struct program_thread *thread, const void *caller)
{
    thread->pooled = is_openmp(caller);
    thread->outer = thread->pooled && pthread_getspecific(end_key) == NULL;
    if (thread->outer && ft_libc_state != NULL)
        thread->content = libc_workers_next(&ft_libc_state->workers);
}

static int thread_create(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *),
                         void *argument, const void *caller)
{
    struct program_thread *thread;
    int code;

    pthread_once(&end_key_once, end_key_create);
    thread = thread_add(function, argument, is_detached(attributes));
    if (thread == NULL)
        return EAGAIN;
    thread_place(thread, caller);
    pthread_mutex_lock(&threads_lock); /* the thread's end waits for its id to be noted */
    code = LIBC_NEXT(pthread_create)(id, attributes, thread_run, thread);
    if (code == 0) {
        thread->id = *id;
        thread->started = 1;
    } else {
        thread_forget(thread);
    }
    pthread_mutex_unlock(&threads_lock);
    return code;
}

/* A thread that a constructor has made is at depth 0 before there is any state. */
static int program_asks(const void *caller)
{
    return ft_depth == 0 || ft_early_asks(caller);
}

static int thread_make(pthread_t *id, const pthread_attr_t *attributes, void *(*function)(void *),
                       void *argument, const void *caller)
{
    int code;

    ft_depth++;
    code = thread_create(id, attributes, function, argument, caller);
    ft_depth--;
    return code;
}

FT_EXPORT int pthread_create(pthread_t *restrict id, const pthread_attr_t *restrict attributes,
                             void *(*function)(void *), void *restrict argument)
{
    if (!program_asks(__builtin_return_address(0)))
        return LIBC_NEXT(pthread_create)(id, attributes, function, argument);
    return thread_make(id, attributes, function, argument, __builtin_return_address(0));
}

struct c11_start {
    thrd_start_t function;
    void *argument;
};

static void *c11_run(void *argument)
{
    struct c11_start start = *(struct c11_start *)argument;

    free(argument);
    return (void *)(intptr_t)start.function(start.argument);
}

FT_EXPORT int thrd_create(thrd_t *id, thrd_start_t function, void *argument)
{
    struct c11_start *start;
    int code;

    if (!program_asks(__builtin_return_address(0)))
        return LIBC_NEXT(thrd_create)(id, function, argument);
    start = malloc(sizeof *start);
    if (start == NULL)
        return thrd_nomem;
    *start = (struct c11_start){function, argument};
    code = thread_make(id, NULL, c11_run, start, __builtin_return_address(0));
    if (code == 0)
        return thrd_success;
    free(start);
    return code == EAGAIN ? thrd_nomem : thrd_error;
}

/* The thread was joined or detached. */
static void thread_release(pthread_t id, int joined)
{
    struct program_thread *thread;

    if (__atomic_load_n(&threads, __ATOMIC_RELAXED) == NULL) /* natively always */
        return;
    pthread_mutex_lock(&threads_lock);
    for (thread = threads; thread != NULL; thread = thread->next)
        if (thread->started && !thread->detached && pthread_equal(thread->id, id))
            break;
    if (thread != NULL && (joined || thread->ended))
        thread_forget(thread);
    else if (thread != NULL)
        thread->detached = 1;
    pthread_mutex_unlock(&threads_lock);
}

#define JOIN(name, parameters, arguments)                                                          \
    FT_EXPORT int name parameters                                                                  \
    {                                                                                              \
        int code = LIBC_NEXT(name) arguments;                                                      \
                                                                                                   \
        if (code == 0)                                                                             \
            thread_release(id, 1);                                                                 \
        return code;                                                                               \
    }

JOIN(pthread_join, (pthread_t id, void **result), (id, result))
JOIN(pthread_tryjoin_np, (pthread_t id, void **result), (id, result))
JOIN(pthread_timedjoin_np, (pthread_t id, void **result, const struct timespec *until),
     (id, result, until))
JOIN(pthread_clockjoin_np,
     (pthread_t id, void **result, clockid_t clock, const struct timespec *until),
     (id, result, clock, until))
JOIN(thrd_join, (thrd_t id, int *result), (id, result))

FT_EXPORT int pthread_detach(pthread_t id)
{
    int code = LIBC_NEXT(pthread_detach)(id);

    if (code == 0)
        thread_release(id, 0);
    return code;
}

FT_EXPORT int thrd_detach(thrd_t id)
{
    return pthread_detach(id) == 0 ? thrd_success : thrd_error;
}

static int threads_exist(void)
{
    int any;

    pthread_mutex_lock(&threads_lock);
    any = threads != NULL;
    pthread_mutex_unlock(&threads_lock);
    return any;
}

static int threads_alive(void)
{
    int alive = 0;

    pthread_mutex_lock(&threads_lock);
    for (const struct program_thread *thread = threads; thread != NULL; thread = thread->next)
        alive += !thread->ended;
    pthread_mutex_unlock(&threads_lock);
    return alive;
}

void ft_libc_settle(void)
{
    struct timespec nap = {.tv_nsec = 1000000};

    for (int i = 0; i < RELEASE_WAIT && threads_alive(); i++)
        nanosleep(&nap, NULL);
    if (threads_alive())
        ft_panic("a thread that a shared library's constructor has started is alive, and when the "
                 "image was taken it was not");
    pthread_mutex_lock(&threads_lock);
    while (threads != NULL)
        thread_forget(threads);
    pthread_mutex_unlock(&threads_lock);
}

void ft_libc_forked(void)
{
    if (threads_alive())
        ft_panic("a shared library's constructor has started a thread, and where address "
                 "randomisation cannot be switched off ranks are copies that have no threads: "
                 "start the thread later, or allow personality(2)");
}

FT_EXPORT int __cxa_thread_atexit_impl(void (*destructor)(void *), void *object, void *module)
{
    struct program_thread *thread = NULL;

    if (__atomic_load_n(&threads, __ATOMIC_RELAXED) != NULL)
        thread = pthread_getspecific(end_key);
    if (thread != NULL)
        thread->destructors = 1;
    return LIBC_NEXT(__cxa_thread_atexit_impl)(destructor, object, module);
}

/* Threads of the pool; -1 when others are there, too, or one that cannot be made again. */
static int pool_size(void)
{
    int size = 0;

    pthread_mutex_lock(&threads_lock);
    for (const struct program_thread *thread = threads; thread != NULL; thread = thread->next) {
        if (!thread->pooled || thread->destructors)
            size = -1;
        if (size < 0)
            break;
        size += thread->outer && !thread->ended;
    }
    pthread_mutex_unlock(&threads_lock);
    return size;
}

/* libgomp's pool is detached threads that end soon after they were let go. */
static void openmp_release(void)
{
    struct timespec nap = {.tv_nsec = 1000000};
    int size;

    if (omp_pause_resource_all == NULL || omp_get_level == NULL || !threads_exist())
        return;
    size = pool_size();
    if (size < 0 || omp_get_level() > 0)
        return;
    libc_workers_save(&ft_libc_state->workers, size);
    if (omp_pause_resource_all(1) != 0)
        return;
    for (int i = 0; i < RELEASE_WAIT && threads_exist(); i++)
        nanosleep(&nap, NULL);
}

static int destructors_exist(void)
{
    int any = 0;

    pthread_mutex_lock(&threads_lock);
    for (const struct program_thread *thread = threads; thread != NULL; thread = thread->next)
        any |= thread->pooled && thread->destructors;
    pthread_mutex_unlock(&threads_lock);
    return any;
}

int ft_libc_is_alone(void)
{
    int alone = getpid() == gettid() && (omp_get_level == NULL || omp_get_level() == 0);

    pthread_mutex_lock(&threads_lock);
    for (const struct program_thread *thread = threads; thread != NULL; thread = thread->next)
        alone &= thread->pooled || thread->ended;
    pthread_mutex_unlock(&threads_lock);
    return alone;
}

const char *libc_thread_obstacle(void)
{
    siginfo_t info;

    openmp_release();
    if (destructors_exist())
        return "an OpenMP thread has thread_local objects with destructors, which would run if it "
               "were let go: keep such objects in an array with one entry for each thread";
    if (threads_exist())
        return "a thread of the program is alive or not joined (pthread_create): end and join the "
               "program's threads before the next checkpoint";
    if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) == 0)
        return "a child process of the program is alive or not waited for (fork, popen, "
               "posix_spawn): wait for it before the next checkpoint";
    return NULL;
}

/* Keys of the program's libraries that their constructors have made in this life: they are there
 * before an image is put in. */
static struct libc_key early_key[LIBC_KEYS];

static void key_note(pthread_key_t key, void (*destructor)(void *), int used, const void *caller)
{
    struct ft_libc *libc = libc_asks();
    struct libc_key *list = libc ? libc->key : ft_early_asks(caller) ? early_key : NULL;

    if (list != NULL && key < LIBC_KEYS)
        list[key] = (struct libc_key){used, destructor, NULL};
}

static int key_create(pthread_key_t *key, void (*destructor)(void *), const void *caller)
{
    int code = LIBC_NEXT(pthread_key_create)(key, destructor);

    if (code == 0)
        key_note(*key, destructor, 1, caller);
    return code;
}

FT_EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return key_create(key, destructor, __builtin_return_address(0));
}

FT_EXPORT int __pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    return key_create(key, destructor, __builtin_return_address(0));
}

FT_EXPORT int tss_create(tss_t *key, tss_dtor_t destructor)
{
    int code = key_create(key, destructor, __builtin_return_address(0));

    return code == 0 ? thrd_success : thrd_error;
}

static int key_delete(pthread_key_t key, const void *caller)
{
    int code = LIBC_NEXT(pthread_key_delete)(key);

    if (code == 0)
        key_note(key, NULL, 0, caller);
    return code;
}

FT_EXPORT int pthread_key_delete(pthread_key_t key)
{
    return key_delete(key, __builtin_return_address(0));
}

FT_EXPORT void tss_delete(tss_t key)
{
    key_delete(key, __builtin_return_address(0));
}

void libc_keys_start(struct ft_libc *libc)
{
    memcpy(libc->key, early_key, sizeof libc->key);
}

void libc_keys_save(struct ft_libc *libc)
{
    for (pthread_key_t key = 0; key < LIBC_KEYS; key++)
        if (libc->key[key].used)
            libc->key[key].value = pthread_getspecific(key);
}

/* Makes the key with number `wanted`: libc hands out the lowest free number, so the lower ones are
 * taken and given back. */
static int key_claim(pthread_key_t wanted, void (*destructor)(void *))
{
    pthread_key_t key, spare[LIBC_KEYS];
    int code, spares = 0;

    while ((code = LIBC_NEXT(pthread_key_create)(&key, destructor)) == 0 && key < wanted)
        spare[spares++] = key;
    if (code == 0 && key != wanted) {
        LIBC_NEXT(pthread_key_delete)(key);
        code = EBUSY;
    }
    while (spares > 0)
        LIBC_NEXT(pthread_key_delete)(spare[--spares]);
    return -code;
}

/* A constructor of this life may have made the key. */
static int key_again(pthread_key_t key, void (*destructor)(void *))
{
    if (early_key[key].used && early_key[key].destructor == destructor)
        return 0;
    if (early_key[key].used)
        LIBC_NEXT(pthread_key_delete)(key);
    return key_claim(key, destructor);
}

int libc_keys_restore(struct ft_libc *libc)
{
    int code;

    for (pthread_key_t key = 0; key < LIBC_KEYS; key++) {
        if (!libc->key[key].used)
            continue;
        code = key_again(key, libc->key[key].destructor);
        if (code != 0) {
            ft_warn("pthread key %u was taken by a library in the new life", key);
            return code;
        }
        pthread_setspecific(key, libc->key[key].value);
    }
    return 0;
}
