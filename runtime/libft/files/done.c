/* Two hashes in the image (done.h). */
#include "files/done.h"

#include <string.h>

struct files_done_path *files_path_find(const struct ft_files *files, const char *path)
{
    struct files_done_path *found;

    HASH_FIND_STR(files->paths, path, found);
    return found;
}

struct files_done_path *files_path_make(struct ft_files *files, const char *path)
{
    struct files_done_path *made = files_path_find(files, path);

    if (made != NULL)
        return made;
    made = ft_image_alloc(sizeof *made + strlen(path) + 1);
    strcpy(made->path, path);
    HASH_ADD_STR(files->paths, path, made);
    return made;
}

struct files_done_inode *files_inode_find(const struct ft_files *files, const struct stat *status)
{
    struct files_done_inode_key key = {status->st_dev, status->st_ino};
    struct files_done_inode *found;

    HASH_FIND(hh, files->inodes, &key, sizeof key, found);
    return found;
}

struct files_done_inode *files_inode_make(struct ft_files *files, const struct stat *status)
{
    struct files_done_inode *made = files_inode_find(files, status);

    if (made != NULL)
        return made;
    made = ft_image_alloc(sizeof *made);
    made->key = (struct files_done_inode_key){status->st_dev, status->st_ino};
    HASH_ADD(hh, files->inodes, key, sizeof made->key, made);
    return made;
}

void files_done_clear(struct ft_files *files)
{
    struct files_done_path *path, *next_path;
    struct files_done_inode *inode, *next_inode;

    HASH_ITER (hh, files->paths, path, next_path) {
        HASH_DEL(files->paths, path);
        ft_image_free(path);
    }
    HASH_ITER (hh, files->inodes, inode, next_inode) {
        HASH_DEL(files->inodes, inode);
        if (inode->given != NULL)
            ft_image_free(inode->given);
        ft_image_free(inode);
    }
}
