/* stayed: folders that this rank had made, and that could not be removed when it rolled back:
 * others use them, or have put something into them. When the rank makes such a folder again, the
 * call succeeds although the folder is there. ftrun marks such folders before the rank starts
 * (format.h).
 *
 * Thread rule: any. */
#ifndef FT_FILES_STAYED_H
#define FT_FILES_STAYED_H

/* Behind a call that was to make a folder, and has found it there. 1: the folder has a mark: the
 * mark is removed, and the making is on record. 0: it has none. errno is as it was. */
int files_stayed_take(int folder, const char *path, const char *call, const void *site);
/* Behind a call that has made the folder: a mark of it counts no more. */
void files_stayed_forget(int folder, const char *path);

#endif
