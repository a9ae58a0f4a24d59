/* undo_tree: what tests of ft_undo_apply share: a tree of files, ranks that change it, each with
 * records of its own, and what the tree looks like. Thread rule: single threaded. */
#ifndef FT_FILES_UNDO_TREE_H
#define FT_FILES_UNDO_TREE_H

#include "files/put.h"
#include "files/undo.h"
#include "files/work.h"

#define RANKS 3

extern char tree[128];         /* its path */
extern char store[RANKS][128]; /* folders of the ranks' records */
extern struct ft_rank rank[RANKS];
extern struct ft_files files[RANKS];

/* An empty tree, and no records; work_make's folder is made once. */
int tree_setup(void **state);
int tree_teardown(void **state);

/* A path of that name in it. One of eight. */
const char *tree_path(const char *name);
/* From here on this process acts as rank r's program (-1: as nobody). */
void act_as(int r);
/* Opens the file by that mode of fopen, and writes the text. A file that cannot be opened is
 * left alone. */
void file_put(const char *name, const char *mode, const char *text);
/* The tree as sorted text, owned by the caller. Behind it this process acts as nobody. */
char *tree_snapshot(void);
/* Rank 0 alone rolls back: ft_undo_apply. */
int undo_first(int number, char *failed);

#endif
