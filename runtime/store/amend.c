/* amend: another manifest for a checkpoint that is committed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "store/store.h"

int ft_store_amend(const struct ft_store *store, const struct ft_manifest *manifest)
{
    char name[64], path[FT_STORE_PATH], temporary[FT_STORE_PATH];

    snprintf(name, sizeof(name), "ckpt-%u/manifest.json", manifest->checkpoint);
    ft_store_file(store, name, path);
    snprintf(name, sizeof(name), "ckpt-%u/manifest.tmp", manifest->checkpoint);
    ft_store_file(store, name, temporary);
    if (ft_manifest_write(manifest, temporary) || rename(temporary, path)) {
        unlink(temporary);
        if (unlink(path) && errno != ENOENT)
            return -errno;
    }
    *strrchr(path, '/') = 0;
    return ft_store_sync(path);
}
