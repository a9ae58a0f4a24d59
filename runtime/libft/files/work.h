/* work: the folder of a test, under /tmp. Thread rule: single threaded. */
#ifndef FT_FILES_WORK_H
#define FT_FILES_WORK_H

extern char work[64]; /* its path */

/* Makes it, named after the test. 0, or -1 with errno. */
int work_make(const char *test);
/* Removes all that is in it; and the folder, too. 0, or -1 with errno. */
int work_empty(void);
int work_remove(void);

/* The path of that name in a folder, and in the folder of the test. The eighth call after it
 * overwrites it. */
const char *path_in(const char *folder, const char *name);
const char *path_of(const char *name);

#endif
