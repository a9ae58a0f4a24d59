/* folders: new ones that cannot be removed when their makers go back.
 *
 * One that others have put something into stays. Where all go back to one moment a mark says so
 * (files/stayed.h): who makes it first in the new life has made it. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "files/format.h"
#include "putback/putback.h"

/* 0 or -errno. */
static int mark(const struct ft_run *run, const char *path)
{
    char folder[FT_STORE_PATH], name[FT_STORE_PATH + 32];
    int fd;

    ft_store_file(run->store, "undo/" FT_UNDO_STAYS_FOLDER, folder);
    if (mkdir(folder, 0700) && errno != EEXIST)
        return -errno;
    snprintf(name, sizeof(name), "%s/" FT_UNDO_STAYS_NAME, folder,
             (unsigned long long)XXH3_64bits(path, strlen(path)));
    fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

void ft_folder_stay(const struct ft_run *run, const char *path)
{
    int code = mark(run, path);

    ft_say("the folder %s is new since the checkpoint, but something is in it that no rank has put "
           "there: it stays%s%s",
           path, code ? ", and the program will find it: " : "", code ? strerror(-code) : "");
}

int ft_folders_add(void *context, const char *path, enum ft_undo_fate fate)
{
    if (fate == FT_UNDO_STAYED)
        ft_folder_stay(context, path);
    return 0;
}
