/* libc_statics: functions of libc that keep state or answer from static memory, each used a little
 * at every step: the random families, strtok, localtime, ctime, hsearch, the environment (putenv,
 * setenv, unsetenv, clearenv), setlocale, getopt's globals, umask, pthread keys, exit handlers of
 * three kinds.
 *
 * arguments: [steps 200]
 *
 * ranks: 2
 * test: 150
 * soak: 600
 * pace: 4000
 * kill: 1@hook:70
 * kill: 0@hook:33 0@hook:99
 */
#include <locale.h>
#include <pthread.h>
#include <search.h>
#include <sys/stat.h>
#include "program.h"

static char table[256];
static char *default_table;
static pthread_key_t key;
static struct tm *calendar;
static char put[2][32];
static const char *when_text;

static void last_words(int status, void *argument)
{
    if (rank == 0)
        printf("on_exit: %d %s\n", status, (char *)argument);
}

static void second(void)
{
    if (rank == 0)
        printf("atexit: second\n");
}

static void first(void)
{
    if (rank == 0)
        printf("atexit: first, key %s\n", (char *)pthread_getspecific(key));
    atexit(second);
}

static uint64_t numbers(long number)
{
    unsigned short x[3] = {1, 2, (unsigned short)number};
    uint64_t value = (uint64_t)rand() + (uint64_t)random() * 3 + (uint64_t)lrand48() * 5 +
                     (uint64_t)mrand48() * 7 + (uint64_t)nrand48(x) * 11;
    double real = drand48() + erand48(x);

    if (number % 20 == 10)
        default_table = initstate((unsigned)number, table, sizeof table);
    if (number % 20 == 0)
        setstate(default_table);
    if (number % 50 == 0)
        srand48(number);
    return digest(value, &real, sizeof real);
}

static uint64_t statics(long number)
{
    static char words[64];
    static const time_t day = 86400;
    time_t when = day * number;
    const char *word;
    char name[40];
    const ENTRY *entry;

    word = strtok(number % 6 == 1 ? strcpy(words, "a,bb,ccc,dddd,eeeee,ffffff") : NULL, ",");
    check(word != NULL && strlen(word) == (size_t)((number - 1) % 6 + 1), "strtok", number);
    if (number > 1)
        check(calendar->tm_yday == (int)((number - 2) % 365), "localtime", number);
    if (number > 1)
        check(strlen(when_text) == 25, "ctime", number);
    when_text = ctime(&when);
    calendar = localtime(&when);
    calendar->tm_yday = (int)((number - 1) % 365);
    snprintf(name, sizeof name, "key %ld", number);
    hsearch((ENTRY){strdup(name), (void *)number}, ENTER);
    snprintf(name, sizeof name, "key %ld", number / 2 + 1);
    entry = hsearch((ENTRY){name, NULL}, FIND);
    check(entry != NULL && (long)entry->data == number / 2 + 1, "hsearch", number);
    return digest((uint64_t)calendar->tm_mon, when_text, 25);
}

static void environment(long number)
{
    char name[32], value[32];

    snprintf(put[number % 2], sizeof put[0], "PUT%ld=%ld", number % 2, number);
    putenv(put[number % 2]);
    snprintf(name, sizeof name, "SET%ld", number % 5);
    if (number > 5) {
        snprintf(value, sizeof value, "%ld", number - 5);
        check(strcmp(getenv(name), value) == 0, "getenv", number);
    }
    snprintf(value, sizeof value, "%ld", number);
    setenv(name, value, 1);
    snprintf(name, sizeof name, "TMP%ld", number);
    setenv(name, "x", 0);
    snprintf(name, sizeof name, "TMP%ld", number - 1);
    check(number == 1 || getenv(name) != NULL, "environment", number);
    unsetenv(name);
    snprintf(value, sizeof value, "%ld", number - 1);
    check(number == 1 || strcmp(getenv((number - 1) % 2 ? "PUT1" : "PUT0"), value) == 0, "putenv",
          number);
}

static uint64_t process(long number)
{
    mode_t mask = umask((mode_t)(number % 64));
    char text[32];

    check(number == 1 || mask == (mode_t)((number - 1) % 64), "umask", number);
    snprintf(text, sizeof text, "%.2f", 1.5);
    check(strcmp(setlocale(LC_ALL, NULL), "C.UTF-8") == 0, "setlocale", number);
    check(strcmp(pthread_getspecific(key), "value") == 0, "pthread key", number);
    return digest(mask, text, strlen(text));
}

int main(int argc, char **argv)
{
    uint64_t state = 0;
    long steps;

    setenv("TZ", "CET-1CEST", 1);
    atexit(first);
    program_start(&argc, &argv);
    steps = argument(argc, argv, 1, 200);
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, "value");
    setlocale(LC_ALL, "C.UTF-8");
    hcreate((size_t)steps * 2);
    on_exit(last_words, strdup("bye"));
    for (long number = 1; number <= steps; number++) {
        step(number);
        state = mix(state + numbers(number) + statics(number) + process(number));
        environment(number);
        MPI_Allreduce(MPI_IN_PLACE, &state, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    }
    return program_end("libc_statics", state);
}
