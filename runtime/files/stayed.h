/* stayed: new folders that were not removed when all went back to one moment, because others had
 * put something into them. Who makes such a folder first in the new life has made it.
 *
 * Thread rule: any. */
#ifndef FT_FILES_STAYED_H
#define FT_FILES_STAYED_H

/* Behind a call that was to make a folder, and has found it there. 1: it is this rank's, and that
 * is on record; errno is as it was. */
int files_stayed_take(int folder, const char *path, const char *call, const void *site);
/* Behind one that has made it: then it had gone. */
void files_stayed_forget(int folder, const char *path);

#endif
