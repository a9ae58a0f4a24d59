/* rand, random and the drand48 family.
 *
 * glibc defines them over its reentrant forms with one static state each; here the state lies in
 * the image, so the sequence goes on where the image was taken. The sequences are glibc's own: the
 * default of random is a table of 128 bytes seeded with 1, that of drand48 is all zero. */
#include "libc/state.h"

#include <errno.h>
#include <sched.h>

void libc_random_start(struct ft_libc *libc)
{
    struct libc_random *state = &libc->random;

    initstate_r(1, state->table, sizeof state->table, &state->random);
}

static struct libc_random *lock(struct ft_libc *libc)
{
    while (__atomic_exchange_n(&libc->random.lock, 1, __ATOMIC_ACQUIRE))
        sched_yield();
    return &libc->random;
}

static void unlock(struct libc_random *state)
{
    __atomic_store_n(&state->lock, 0, __ATOMIC_RELEASE);
}

FT_EXPORT long random(void)
{
    struct ft_libc *libc = libc_asks();
    struct libc_random *state;
    int32_t result;

    if (libc == NULL)
        return LIBC_NEXT(random)();
    state = lock(libc);
    random_r(&state->random, &result);
    unlock(state);
    return result;
}

FT_EXPORT int rand(void)
{
    return (int)random();
}

FT_EXPORT void srandom(unsigned seed)
{
    struct ft_libc *libc = libc_asks();
    struct libc_random *state;

    if (libc == NULL) {
        LIBC_NEXT(srandom)(seed);
        return;
    }
    state = lock(libc);
    srandom_r(seed, &state->random);
    unlock(state);
}

FT_EXPORT void srand(unsigned seed)
{
    srandom(seed);
}

FT_EXPORT char *initstate(unsigned seed, char *table, size_t size)
{
    struct ft_libc *libc = libc_asks();
    struct libc_random *state;
    char *old;
    int code;

    if (libc == NULL)
        return LIBC_NEXT(initstate)(seed, table, size);
    state = lock(libc);
    old = (char *)&state->random.state[-1]; /* as glibc: the word before holds the type */
    code = initstate_r(seed, table, size, &state->random);
    unlock(state);
    return code == 0 ? old : NULL;
}

FT_EXPORT char *setstate(char *table)
{
    struct ft_libc *libc = libc_asks();
    struct libc_random *state;
    char *old;
    int code;

    if (libc == NULL)
        return LIBC_NEXT(setstate)(table);
    state = lock(libc);
    old = (char *)&state->random.state[-1];
    code = setstate_r(table, &state->random);
    unlock(state);
    return code == 0 ? old : NULL;
}

/* Each of the drand48 family: `call` uses `state`, natively `name arguments`. */
#define DRAND48(type, name, parameters, arguments, call)                                           \
    FT_EXPORT type name parameters                                                                 \
    {                                                                                              \
        struct ft_libc *libc = libc_asks();                                                        \
        struct drand48_data *state;                                                                \
        type result;                                                                               \
                                                                                                   \
        if (libc == NULL)                                                                          \
            return LIBC_NEXT(name) arguments;                                                      \
        state = &lock(libc)->drand48;                                                              \
        call;                                                                                      \
        unlock(&libc->random);                                                                     \
        return result;                                                                             \
    }

DRAND48(double, drand48, (void), (), drand48_r(state, &result))
DRAND48(long, lrand48, (void), (), lrand48_r(state, &result))
DRAND48(long, mrand48, (void), (), mrand48_r(state, &result))
DRAND48(double, erand48, (unsigned short x[3]), (x), erand48_r(x, state, &result))
DRAND48(long, nrand48, (unsigned short x[3]), (x), nrand48_r(x, state, &result))
DRAND48(long, jrand48, (unsigned short x[3]), (x), jrand48_r(x, state, &result))
DRAND48(unsigned short *, seed48, (unsigned short x[3]), (x),
        (seed48_r(x, state), result = state->__old_x))

FT_EXPORT void srand48(long seed)
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL) {
        LIBC_NEXT(srand48)(seed);
        return;
    }
    srand48_r(seed, &lock(libc)->drand48);
    unlock(&libc->random);
}

FT_EXPORT void lcong48(unsigned short parameters[7])
{
    struct ft_libc *libc = libc_asks();

    if (libc == NULL) {
        LIBC_NEXT(lcong48)(parameters);
        return;
    }
    lcong48_r(parameters, &lock(libc)->drand48);
    unlock(&libc->random);
}
