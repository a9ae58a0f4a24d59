/* A shared library whose constructor allocates what it keeps for the program. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct pool {
    size_t count, room;
    long *table;
    char *name;
};

static struct pool *pool;
static pthread_key_t last;

static void *forget(void *argument)
{
    free(argument);
    return NULL;
}

__attribute__((constructor)) static void pool_make(void)
{
    pthread_t thread;

    pool = calloc(1, sizeof *pool);
    pool->room = 16;
    pool->table = malloc(pool->room * sizeof *pool->table);
    pthread_key_create(&last, NULL);
    pool->name = strdup("the pool");
    if (pthread_create(&thread, NULL, forget, malloc(100)) == 0)
        pthread_join(thread, NULL);
}

const char *pool_add(long value)
{
    if (pool->count == pool->room)
        pool->table = realloc(pool->table, (pool->room *= 2) * sizeof *pool->table);
    pool->table[pool->count++] = value + (long)(size_t)pthread_getspecific(last);
    pthread_setspecific(last, (void *)(size_t)value);
    pool->name[0] = (char)('a' + value % 26);
    return pool->name;
}

long pool_sum(void)
{
    long sum = 0;

    for (size_t i = 0; i < pool->count; i++)
        sum += pool->table[i];
    return sum;
}
