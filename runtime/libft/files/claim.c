/* A list of inodes (claim.h). Entries of closed files go when the list is full. */
#include "files/claim.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/calls.h"
#include "files/descriptors.h"

#define FIRST 32 /* entries of the first list */

struct files_claim {
    dev_t device;
    ino_t inode;
    int seen; /* while the list is swept: it is open */
};

static pthread_mutex_t claims_lock = PTHREAD_MUTEX_INITIALIZER;

int files_is_kernels(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

int files_is_shared_place(const char *path)
{
    return strncmp(path, "/dev/shm/", 9) == 0 || files_is_kernels(path);
}

static struct files_claim *claim_find(const struct ft_files *files, const struct stat *status)
{
    for (int i = 0; i < files->claims; i++)
        if (files->claim[i].inode == status->st_ino && files->claim[i].device == status->st_dev)
            return &files->claim[i];
    return NULL;
}

int files_is_claimed(const struct ft_files *files, const struct stat *status)
{
    return claim_find(files, status) != NULL;
}

static void claims_see(struct ft_files *files, int fd)
{
    struct files_claim *claim;
    struct stat status;

    if (NEXT(fstat)(fd, &status) == 0 && (claim = claim_find(files, &status)) != NULL)
        claim->seen = 1;
}

/* Forgets what is not open any more. */
static void claims_sweep(struct ft_files *files)
{
    int count, kept = 0, *number = files_numbers_list(&count);

    if (number == NULL)
        return;
    for (int i = 0; i < count; i++)
        claims_see(files, number[i]);
    free(number);
    for (int i = 0; i < files->claims; i++)
        if (files->claim[i].seen)
            files->claim[kept++] =
                (struct files_claim){files->claim[i].device, files->claim[i].inode, 0};
    files->claims = kept;
}

static void claims_make_room(struct ft_files *files)
{
    struct files_claim *more;

    claims_sweep(files);
    if (files->claims_room > 0 && files->claims <= files->claims_room / 2)
        return;
    files->claims_room = files->claims_room ? 2 * files->claims_room : FIRST;
    more = ft_image_alloc((size_t)files->claims_room * sizeof *more);
    if (files->claim != NULL) {
        memcpy(more, files->claim, (size_t)files->claims * sizeof *more);
        ft_image_free(files->claim);
    }
    files->claim = more;
}

static void claim_add(struct ft_files *files, const struct stat *status)
{
    if (files_is_claimed(files, status))
        return;
    if (files->claims == files->claims_room)
        claims_make_room(files);
    files->claim[files->claims++] = (struct files_claim){status->st_dev, status->st_ino, 0};
}

/* The file system of a file that lay in no such folder: its other files do not, either. */
static dev_t ordinary;

/* /dev/shm may be a folder of any file system. */
static int is_separate(dev_t device)
{
    struct stat status;

    return NEXT(stat)("/dev/shm", &status) != 0 || status.st_dev != device;
}

static void path_claim(struct ft_files *files, int fd, const struct stat *status)
{
    char link[32], path[16] = "";

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (readlink(link, path, sizeof path - 1) <= 0)
        return;
    if (!files_is_shared_place(path)) {
        if (is_separate(status->st_dev))
            ordinary = status->st_dev;
        return;
    }
    pthread_mutex_lock(&claims_lock);
    claim_add(files, status);
    pthread_mutex_unlock(&claims_lock);
}

void files_claim(struct ft_files *files, int fd, const struct stat *status)
{
    struct stat own;

    if (files == NULL || fd < 0)
        return;
    ft_depth++;
    if (status == NULL && NEXT(fstat)(fd, &own) == 0)
        status = &own;
    if (status != NULL && (status->st_dev != ordinary || ordinary == 0))
        path_claim(files, fd, status);
    ft_depth--;
}

void files_claims_forget(struct ft_files *files)
{
    files->claims = 0;
}
