/* slow_removal: in front of libc (LD_PRELOAD), a file system that takes long to remove an image, as
 * one does that has some GB of it. Which process removes which is written to the file
 * FT_TEST_REMOVALS. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void note(const char *path)
{
    const char *name = getenv("FT_TEST_REMOVALS");
    int fd = name ? open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

    if (fd < 0)
        return;
    dprintf(fd, "%d %s\n", (int)getpid(), path);
    close(fd);
}

__attribute__((visibility("default"))) int remove(const char *path)
{
    static int (*next)(const char *);
    size_t length = strlen(path);

    if (!next)
        next = (int (*)(const char *))dlsym(RTLD_NEXT, "remove");
    if (length > 4 && !strcmp(path + length - 4, ".img")) {
        note(path);
        usleep(300000);
    }
    return next(path);
}
