/* done: what is on record since the last checkpoint, in the image: of each path (its state, also
 * that nothing was there) and of each file (its content, under whatever name).
 *
 * Thread rule: one thread at a time (record.c holds the room's lock). */
#ifndef FT_FILES_DONE_H
#define FT_FILES_DONE_H

#include <stdint.h>
#include <sys/stat.h>

#include "files/record.h"

#define uthash_malloc(bytes) ft_image_alloc(bytes)
#define uthash_free(block, bytes) ft_image_free(block)
#include <uthash.h>

struct files_done_path {
    UT_hash_handle hh;
    enum files_change change; /* strongest access that the records allow */
    enum files_change before; /* the same before the newest record of the path */
    char path[];
};

struct files_done_inode_key {
    uint64_t device, inode;
};

struct files_done_inode {
    UT_hash_handle hh;
    enum files_change change; /* as of a path */
    off_t size;               /* FILES_GROW: of the file on record, or larger: what lies behind it
                                 may be written over without another record */
    char *given; /* the path by which it was accessed last, as the program wrote it; owned */
    struct files_done_inode_key key;
};

/* The entry of the path or file; NULL when there is none. The hash owns it, until
 * files_done_clear. The _make functions add what is missing. */
struct files_done_path *files_path_find(const struct ft_files *files, const char *path);
struct files_done_path *files_path_make(struct ft_files *files, const char *path);
struct files_done_inode *files_inode_find(const struct ft_files *files, const struct stat *status);
struct files_done_inode *files_inode_make(struct ft_files *files, const struct stat *status);

/* Forgets everything. */
void files_done_clear(struct ft_files *files);

#endif
