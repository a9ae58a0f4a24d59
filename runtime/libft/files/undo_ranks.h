/* undo_ranks: what tests of undo_share.c and record.c share: ranks that change files, read them and
 * take checkpoints, each a party of its own. Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_RANKS_H
#define FT_FILES_UNDO_RANKS_H

#include <stdint.h>

#include "files/undo.h"
#include "files/work.h"

#define RANKS 3

extern struct ft_undo_share share; /* of the last share_of */

int ranks_setup(void **state);
int ranks_teardown(void **state);

const char *ranks_store(int r); /* the folder of its records */

/* From here on this process acts as rank r's program (-1: as nobody). */
void act_as(int r);
/* Rank r (-1: nobody) opens the file by that mode of fopen, and writes the text. */
void put(int r, const char *path, const char *mode, const char *text);
void append(int r, const char *path);        /* a line */
void look(int r, const char *path);          /* it asks whether the path is there */
uint64_t checkpoint(int r, uint32_t number); /* returns its moment */

/* All stay, unless they roll back. */
void stay(void);
void go_back(int r, int number, uint64_t cut);
int share_of(void); /* ft_undo_shared */

#endif
