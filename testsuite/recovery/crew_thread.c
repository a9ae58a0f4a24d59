/* A shared library whose constructor starts a thread that works for the program. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begin = PTHREAD_COND_INITIALIZER, end = PTHREAD_COND_INITIALIZER;
static long asked, done, sum;

static void *crew(void *unused)
{
    pthread_mutex_lock(&lock);
    for (;;) {
        while (done == asked)
            pthread_cond_wait(&begin, &lock);
        sum += ++done;
        pthread_cond_signal(&end);
    }
    return unused;
}

__attribute__((constructor)) static void crew_start(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, crew, NULL);
}

long crew_work(void)
{
    long result;

    pthread_mutex_lock(&lock);
    asked++;
    pthread_cond_signal(&begin);
    while (done != asked)
        pthread_cond_wait(&end, &lock);
    result = sum;
    pthread_mutex_unlock(&lock);
    return result;
}
