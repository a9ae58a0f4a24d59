/* folder: a folder with all that is in it. Thread rule: single threaded. */
#ifndef FT_FOLDER_H
#define FT_FOLDER_H

/* Makes one with mode 0700; one that is there already is right. 0 or -errno. */
int ft_folder_make(const char *path);
/* Removes it; what cannot be removed stays. */
void ft_folder_remove(const char *path);

#endif
