/* configfile: mpiexec's -configfile FILE: a line for each program of the job. */
#ifndef FT_CONFIGFILE_H
#define FT_CONFIGFILE_H

/* Effect: where the words hold -configfile FILE, they become the words before it, and those of the
 * file: its lines with a ':' between them. Lines are words as a shell reads them; # begins a
 * comment, \ at the end continues a line. The list lives as long as ftrun. 0, or -errno when the
 * file cannot be read, with its name in *name; -EINVAL: its quotes do not match, or something
 * stands behind it. */
int ft_configfile_expand(int *argc, char ***argv, const char **name);

#endif
