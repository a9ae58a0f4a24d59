/* files: the files into which the ranks print (-outfile-pattern, -errfile-pattern), in place of
 * ftrun's own stdout and stderr. Thread rule: single threaded. */
#ifndef FT_FILES_H
#define FT_FILES_H

/* Opens the file of each rank, or one for all where the pattern has no %r, which stands for the
 * rank;
 * %% is a percent sign, and the pattern has no other % (options/values.h). again: a continued job
 * goes on behind what is there; else the files are emptied. fds[2 * rank] gets the descriptors. 0,
 * or -errno with the name in `failed`, for the caller to free. The descriptors stay open until the
 * end of the process. */
int ft_files_open(const char *pattern, int size, int again, int *fds, char **failed);

#endif
