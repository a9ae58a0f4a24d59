/* copies: the store of the second team (--replicas), STORE/copy-1, whose checkpoints of all ranks
 * continue the job as well as those of the first one. Both teams take their numbers from one count.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "store/store.h"

void ft_store_second(const struct ft_store *store, char *out)
{
    ft_store_file(store, "copy-1", out);
}

void ft_store_lent_image(const struct ft_store *store, int rank, enum ft_store_lent kind, char *out)
{
    char name[64];

    snprintf(name, sizeof(name), "begin/rank-%d/%s", rank,
             kind == FT_STORE_ORIGIN ? "origin" : "image");
    ft_store_file(store, name, out);
}

int ft_store_make_lent(const struct ft_store *store, int rank)
{
    char folder[FT_STORE_PATH], name[64];

    ft_store_file(store, "begin", folder);
    if (mkdir(folder, 0700) && errno != EEXIST)
        return -errno;
    snprintf(name, sizeof(name), "begin/rank-%d", rank);
    ft_store_file(store, name, folder);
    return mkdir(folder, 0700) && errno != EEXIST ? -errno : 0;
}

int ft_store_lend_image(const char *image, const struct ft_store *to, int rank,
                        enum ft_store_lent kind)
{
    char path[FT_STORE_PATH];
    int code = ft_store_make_lent(to, rank);

    if (code)
        return code;
    ft_store_lent_image(to, rank, kind, path);
    unlink(path);
    return link(image, path) ? -errno : 0;
}

static int adopt(const struct ft_store *store, const struct ft_store *second, uint32_t checkpoint)
{
    char name[32], from[FT_STORE_PATH], to[FT_STORE_PATH];

    snprintf(name, sizeof(name), "ckpt-%u", checkpoint);
    ft_store_file(second, name, from);
    ft_store_file(store, name, to);
    return rename(from, to) ? -errno : 0;
}

int ft_store_adopt(const struct ft_store *store, char *why)
{
    char path[FT_STORE_PATH];
    struct ft_store *second;
    uint32_t *numbers = NULL;
    int count, code = 0;

    ft_store_second(store, path);
    if (access(path, F_OK))
        return errno == ENOENT ? 0 : -errno;
    if ((code = ft_store_open(path, 0, &second, why)))
        return code;
    count = ft_store_list(second, &numbers);
    for (int i = 0; !code && i < count; i++)
        code = adopt(store, second, numbers[i]);
    if (!code)
        code = count < 0 ? count : ft_store_sync(ft_store_path(store));
    if (code)
        snprintf(why, FT_STORE_WHY, "checkpoints of the second copies in %.300s: %s", path,
                 strerror(-code));
    ft_store_close(second, 0);
    free(numbers);
    return code;
}
