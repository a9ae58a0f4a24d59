/* The environment.
 *
 * environ points to an array in the image from the start on, and so do the strings. glibc's setenv
 * keeps arrays and strings of its own in its heap, which no image has. So setenv and its family are
 * replaced here, also for the MPI library: program and library share one environment. If the
 * program assigns environ, the next change copies its array into the image. */
#include "libc/state.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static size_t array_length(char **array)
{
    size_t count = 0;

    while (array != NULL && array[count] != NULL)
        count++;
    return count;
}

/* Makes environ our own array with room for one more. */
static void array_own(struct libc_environment *environment)
{
    size_t count = array_length(environ);
    char **array;

    if (environ == environment->array && count + 2 <= environment->capacity)
        return;
    array = ft_image_alloc((2 * count + 8) * sizeof *array);
    if (count > 0)
        memcpy(array, environ, count * sizeof *array);
    environment->capacity = 2 * count + 8;
    environment->array = environ =
        array; /* the program may have a pointer to the old one: it is not freed */
}

static int name_is_valid(const char *name)
{
    return name != NULL && *name != 0 && strchr(name, '=') == NULL;
}

static char **entry_find(const char *name, size_t length)
{
    for (char **entry = environ; entry != NULL && *entry != NULL; entry++)
        if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
            return entry;
    return NULL;
}

/* Puts the string "NAME=VALUE" into the environment. */
static void entry_put(struct libc_environment *environment, char *string, size_t length)
{
    char **entry;
    size_t count;

    array_own(environment);
    entry = entry_find(string, length);
    if (entry != NULL) {
        *entry = string;
        return;
    }
    count = array_length(environ);
    environ[count] = string;
    environ[count + 1] = NULL;
}

FT_EXPORT int setenv(const char *name, const char *value, int replace)
{
    struct ft_libc *libc = ft_libc_state;
    size_t length;
    char **entry, *string;

    if (libc == NULL)
        return LIBC_NEXT(setenv)(name, value, replace);
    if (!name_is_valid(name)) {
        errno = EINVAL;
        return -1;
    }
    length = strlen(name);
    entry = entry_find(name, length);
    if (entry != NULL && (!replace || strcmp(*entry + length + 1, value) == 0))
        return 0;
    string = ft_image_alloc(length + strlen(value) + 2);
    memcpy(string, name, length);
    string[length] = '=';
    strcpy(string + length + 1, value);
    entry_put(&libc->environment, string, length);
    return 0;
}

FT_EXPORT int unsetenv(const char *name)
{
    size_t length;
    char **entry;

    if (ft_libc_state == NULL)
        return LIBC_NEXT(unsetenv)(name);
    if (!name_is_valid(name)) {
        errno = EINVAL;
        return -1;
    }
    length = strlen(name);
    while ((entry = entry_find(name, length)) != NULL)
        for (; *entry != NULL; entry++)
            entry[0] = entry[1];
    return 0;
}

FT_EXPORT int putenv(char *string)
{
    const char *equals = strchr(string, '=');

    if (ft_libc_state == NULL)
        return LIBC_NEXT(putenv)(string);
    if (equals == NULL)
        return unsetenv(string);
    entry_put(&ft_libc_state->environment, string, (size_t)(equals - string));
    return 0;
}

FT_EXPORT int clearenv(void)
{
    if (ft_libc_state == NULL)
        return LIBC_NEXT(clearenv)();
    environ = NULL;
    return 0;
}

static void number_put(struct ft_libc *libc, const char *name, int value)
{
    size_t length = strlen(name);
    char *string = ft_image_alloc(length + 16);

    sprintf(string, "%s=%d", name, value);
    entry_put(&libc->environment, string, length);
}

/* Variables by which mpiexec tells each process about itself: programs choose a device by it,
 * say, before MPI_Init. All ranks are on one node. */
static void place_put(struct ft_libc *libc, const struct ft_wire_boot *boot)
{
    number_put(libc, "PMI_RANK", boot->rank);
    number_put(libc, "PMI_SIZE", boot->size);
    number_put(libc, "MPI_LOCALRANKID", boot->rank);
    number_put(libc, "MPI_LOCALNRANKS", boot->size);
}

/* Copies the environment that the kernel gave, without the way to ftrun. */
void libc_environment_start(struct ft_libc *libc)
{
    size_t hidden = strlen(FT_WIRE_ENV);

    array_own(&libc->environment);
    for (char **entry = environ; *entry != NULL; entry++)
        *entry = strcpy(ft_image_alloc(strlen(*entry) + 1), *entry);
    while (1) {
        char **entry = entry_find(FT_WIRE_ENV, hidden);

        if (entry == NULL)
            break;
        for (; *entry != NULL; entry++)
            entry[0] = entry[1];
    }
    place_put(libc, &ft_life.boot);
}

void libc_environment_save(struct ft_libc *libc)
{
    libc->environment.saved = environ;
}

void libc_environment_restore(struct ft_libc *libc)
{
    environ = libc->environment.saved;
}
