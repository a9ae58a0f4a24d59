/* own: which descriptors are the runtime's (ft_files_own is in files.h). Thread rule: main thread.
 */
#ifndef FT_FILES_OWN_H
#define FT_FILES_OWN_H

/* A close-on-exec copy of fd at a number of the runtime; fd stays open. The number or -errno. */
int files_own_copy(int fd);
int files_is_own(int fd);

#endif
