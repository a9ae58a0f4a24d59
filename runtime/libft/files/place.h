/* place: where files lie, of a job on several nodes. */
#ifndef FT_FILES_PLACE_H
#define FT_FILES_PLACE_H

/* Do all nodes see the file of this absolute path, which need not be there? In doubt yes. */
int files_is_everywhere(const char *name);

#endif
