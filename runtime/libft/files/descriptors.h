/* descriptors: the program's open files, as a list in the image. Thread rule: main thread. */
#ifndef FT_FILES_DESCRIPTORS_H
#define FT_FILES_DESCRIPTORS_H

#include "files/record.h"

/* Notes what 0, 1 and 2 are in this life; before the program can change them. */
void files_standard_keep(void);
/* All open numbers, ascending, from malloc; *count of them. NULL when /proc cannot be read. */
int *files_numbers_list(int *count);
/* Lists all descriptors of the program into files->descriptor. 0 or -errno. */
int files_descriptors_list(struct ft_files *files);
/* Opens them in a new life. 0 or -errno, with a reason (FT_FILES_REASON bytes) that names the
 * file. */
int files_descriptors_restore(struct ft_rank *self, char *reason);
/* Before an exec: these descriptors, the copies of the standard ones and `control` stay open, all
 * others are closed by it. 0 or -errno. */
int files_descriptors_keep_open(struct ft_files *files, int control);
/* After it: flags as they were, the copies are the runtime's again. 0 or -errno. */
int files_descriptors_adopt(struct ft_files *files);
/* All ranks have opened theirs: what they left for each other goes. */
void files_descriptors_met(const struct ft_files *files);
/* Effect: writes the sizes of the listed files for the interval that begins, and copies the
 * bytes that a stream may overwrite without a visible call. 0 or -errno. */
int files_descriptors_record(struct ft_files *files);
const char *files_descriptors_obstacle(const struct ft_rank *self);

#endif
