/* nameless: a file without a name that is open twice, in two ranks or in one.
 *
 * An image carries the content of such a file for each descriptor, and each new life makes a file
 * of it. All whose file was the same one at the moment of their images have to have one again: who
 * is the first leaves a link to its own descriptor in ftrun's private folder, and the others open
 * that. The link's name has the epoch and the checkpoint in it: inodes are used again, but those of
 * one checkpoint are of one moment.
 *
 * Thread rule: main thread, before PMPI_Init. */
#ifndef FT_FILES_NAMELESS_H
#define FT_FILES_NAMELESS_H

#include <sys/stat.h>

/* Effect: fd, which is open for a file that holds the content, becomes one of the file that the
 * first of those has who had this one (status: at the moment of the image). flags: of the new
 * description, when that is another file; it has the offset of fd, and is close-on-exec. Answers 0
 * or -errno. When the first one is dead fd stays what it was: its epoch does not begin. */
int files_nameless_meet(int fd, int flags, const struct stat *status);
/* All have met, as PMPI_Init has returned: the link goes, if it is this rank's. */
void files_nameless_met(const struct stat *status);

#endif
