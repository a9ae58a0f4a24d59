/* claim: what the program has opened where libraries open files, too: in /dev/shm, /proc and
 * /sys.
 *
 * All else there is the MPI library's, which opens it again by itself. A file is known by its
 * inode, so copies of a descriptor are the program's like the first one. The list is in the image.
 *
 * Thread rule: any thread of the program may claim; the rest main thread. */
#ifndef FT_FILES_CLAIM_H
#define FT_FILES_CLAIM_H

#include "files/record.h"

/* Is the path in /proc or /sys? Its content is the kernel's, and not put back. */
int files_is_kernels(const char *path);
/* Is it in such a folder? */
int files_is_shared_place(const char *path);
/* Effect: notes that the file which the program has opened as fd (-1: none) is its own. status:
 * of fd, or NULL. */
void files_claim(struct ft_files *files, int fd, const struct stat *status);
int files_is_claimed(const struct ft_files *files, const struct stat *status);
/* In a new life, before anything is opened again. */
void files_claims_forget(struct ft_files *files);

#endif
