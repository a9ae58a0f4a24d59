/* folders: new ones, when the rank that made them rolls back.
 *
 * Ranks that do not roll back may use the folder, or may be about to: so it stays while there
 * are such ranks, and where somebody has put something into it. A mark in the folder of the
 * rank's undo records says so: when the rank makes the folder again, the call succeeds
 * (files/stayed.h). */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "files/format.h"
#include "putback/putback.h"

/* 0 or -errno. */
static int mark(const char *records, const char *path)
{
    char folder[FT_STORE_PATH], name[FT_STORE_PATH + 32];
    int fd;

    snprintf(folder, sizeof(folder), "%s/" FT_UNDO_STAYED_FOLDER, records);
    if (mkdir(folder, 0700) && errno != EEXIST)
        return -errno;
    snprintf(name, sizeof(name), "%s/" FT_UNDO_STAYED_NAME, folder,
             (unsigned long long)XXH3_64bits(path, strlen(path)));
    fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return -errno;
    close(fd);
    return 0;
}

int ft_folders_tell(void *context, const char *path, int party, int place, enum ft_undo_folder fate)
{
    const struct ft_folders *folders = context;
    int code;

    if (fate == FT_UNDO_GOES)
        return !folders->all;
    code = mark(folders->clusters[party]->undo[place], path);
    if (code)
        ft_say("the folder %s is new since the checkpoint, but it stays, and the program will find "
               "it: %s",
               path, strerror(-code));
    else if (folders->all)
        ft_say("the folder %s is new since the checkpoint, but something is in it that no rank has "
               "put there: it stays",
               path);
    return 0;
}
