/* amend: another manifest for a checkpoint that is committed. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>
#include "store/store.h"

int ft_store_amend(const struct ft_store *store, const struct ft_manifest *manifest)
{
    char name[64], path[FT_STORE_PATH], temporary[FT_STORE_PATH];
    int code;

    snprintf(name, sizeof(name), "ckpt-%u/manifest.json", manifest->checkpoint);
    ft_store_file(store, name, path);
    snprintf(name, sizeof(name), "ckpt-%u/manifest.tmp", manifest->checkpoint);
    ft_store_file(store, name, temporary);
    code = ft_manifest_write(manifest, temporary);
    if (!code && rename(temporary, path))
        code = -errno;
    if (code) {
        unlink(temporary);
        unlink(path);
    }
    return code;
}
