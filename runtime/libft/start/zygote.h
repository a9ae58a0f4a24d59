/* zygote: the same layout in each life where address randomisation cannot be switched off.
 *
 * ftrun starts the program once; that process stops here, with all libraries loaded and nothing of
 * the program run, and forks every rank of every epoch. So addresses, canary and pointer guard are
 * equal in all lives of one job; a restart of the whole job is not possible this way. */
#ifndef FT_ZYGOTE_H
#define FT_ZYGOTE_H

/* Serves SPAWN orders until ftrun is gone. Returns only in a new rank: ft_life.control is its
 * socket, 0, 1 and 2 are in place, and it is a child of ftrun (which is a child subreaper). Returns
 * the recorder's descriptor. */
int ft_zygote_run(void);

#endif
