/* store_fixture: see the header. */
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/store_fixture.h"

char base[64], path[FT_STORE_PATH], why[FT_STORE_WHY];
struct ft_store *store;
const char *unsynced; /* a folder for which fsync fails; NULL: none */

/* In place of the C library's. */
int fsync(int fd)
{
    struct stat file, folder;

    if (!unsynced || fstat(fd, &file) || stat(unsynced, &folder) || file.st_ino != folder.st_ino)
        return 0;
    errno = EIO;
    return -1;
}

/* Replacements of the C library's functions (CMakeLists.txt), which fail for a while. */
int no_memory, no_folder, no_status, copies, refused_copy;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);
struct dirent *__real_readdir(DIR *folder);
struct dirent *__wrap_readdir(DIR *folder);
int __real_fstatat(int folder, const char *name, struct stat *status, int flags);
int __wrap_fstatat(int folder, const char *name, struct stat *status, int flags);

void *__wrap_malloc(size_t size)
{
    if (!no_memory)
        return __real_malloc(size);
    errno = ENOMEM;
    return NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
    if (!no_memory)
        return __real_realloc(old, size);
    errno = ENOMEM;
    return NULL;
}

char *__wrap_strdup(const char *text)
{
    if (++copies != refused_copy)
        return __real_strdup(text);
    errno = ENOMEM;
    return NULL;
}

struct dirent *__wrap_readdir(DIR *folder)
{
    if (!no_folder)
        return __real_readdir(folder);
    errno = EIO;
    return NULL;
}

int __wrap_fstatat(int folder, const char *name, struct stat *status, int flags)
{
    if (!no_status)
        return __real_fstatat(folder, name, status, flags);
    errno = EIO;
    return -1;
}

int open_store(void **state)
{
    (void)state;
    strcpy(base, "/tmp/store_test.XXXXXX");
    if (!mkdtemp(base))
        return -1;
    snprintf(path, sizeof(path), "%s/a/b", base);
    return ft_store_open(path, 1, &store, why);
}

int close_store(void **state)
{
    (void)state;
    no_memory = no_folder = no_status = 0;
    ft_store_close(store, 1);
    snprintf(path, sizeof(path), "%s/a", base);
    rmdir(path);
    return rmdir(base);
}

void write_image(uint32_t checkpoint, int rank, const char *text)
{
    char file[FT_STORE_PATH];

    ft_store_image(store, checkpoint, rank, 1, file);
    FILE *image = fopen(file, "w");
    assert_non_null(image);
    fputs(text, image);
    fclose(image);
}

struct ft_manifest *sample(uint32_t checkpoint)
{
    struct ft_manifest *manifest = ft_manifest_create(2, 2);

    manifest->checkpoint = checkpoint;
    manifest->build = 0xfedcba9876543210u;
    manifest->stack_limit = 8 << 20;
    manifest->environment = 0x1234567890abcdefu;
    manifest->input = 77;
    manifest->program = strdup("/bin/prog\xff");
    manifest->cwd = strdup("/tmp");
    manifest->argv = calloc(3, sizeof(char *));
    manifest->argv[0] = strdup("prog");
    manifest->argv[1] = strdup("two words");
    manifest->ranks[1] = (struct ft_manifest_rank){1, 9, 5, 0xffffffffffffffffu, 3, 7, 11, 1, 0};
    manifest->ranks[0] = (struct ft_manifest_rank){0, 8, 5, 1, 2, 0, 0, 0, 0};
    struct ft_position position = {4, 3, 2, (char *)(uintptr_t) "\0\xfe"};
    ft_position_copy(&position, &manifest->output[3]);
    return manifest;
}

void commit(uint32_t checkpoint)
{
    struct ft_manifest *manifest = sample(checkpoint);

    assert_int_equal(ft_store_begin(store, checkpoint), 0);
    write_image(checkpoint, 0, "image");
    write_image(checkpoint, 1, "image");
    assert_int_equal(ft_store_commit(store, manifest), 0);
    ft_manifest_destroy(manifest);
}
