/* amend: another manifest for a checkpoint that is committed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "store/store.h"

static void manifest_file(const struct ft_store *store, uint32_t checkpoint, const char *suffix,
                          char *path)
{
    char name[64];

    snprintf(name, sizeof(name), "ckpt-%u/manifest.%s", checkpoint, suffix);
    ft_store_file(store, name, path);
}

/* In place of the one that is there; NULL: none. */
static int replace(const struct ft_store *store, uint32_t checkpoint,
                   const struct ft_manifest *manifest)
{
    char path[FT_STORE_PATH], temporary[FT_STORE_PATH];

    manifest_file(store, checkpoint, "json", path);
    manifest_file(store, checkpoint, "tmp", temporary);
    if (!manifest || ft_manifest_write(manifest, temporary) || rename(temporary, path)) {
        unlink(temporary);
        if (unlink(path) && errno != ENOENT)
            return -errno;
    }
    *strrchr(path, '/') = 0;
    return ft_store_sync(path);
}

int ft_store_amend(const struct ft_store *store, const struct ft_manifest *manifest)
{
    return replace(store, manifest->checkpoint, manifest);
}

int ft_store_renounce(const struct ft_store *store, uint32_t checkpoint, char *why)
{
    struct ft_manifest *manifest = NULL;
    char path[FT_STORE_PATH];
    int code;

    manifest_file(store, checkpoint, "json", path);
    code = ft_manifest_read(path, &manifest, why);
    if (code && code != -EBADMSG)
        return code;
    if (code || manifest->continues) {
        if (manifest)
            manifest->continues = 0;
        code = replace(store, checkpoint, manifest);
        snprintf(why, FT_STORE_WHY, "manifest.json: %s", strerror(-code));
    }
    ft_manifest_destroy(manifest);
    return code;
}
