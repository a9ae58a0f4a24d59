/* parts: several programs in one job: ftrun -n 2 ./a WORD : -n 6 ./b WORD.
 *
 * Ranks are numbered through, in the order of the parts. A program of one part has no list. */
#ifndef FT_PARTS_H
#define FT_PARTS_H

#include "host/program.h"

struct ft_part {
    int ranks;
    char *path, *starter; /* as in struct ft_program; its own */
    char **argv;          /* NULL-terminated; the strings are the program's */
};

/* How many ranks stand behind the first ':' of a command line: 0 without one; -1 after a sentence
 * in `why`: something else than -n RANKS PROGRAM... stands behind one. */
int ft_parts_ranks(char *const *argv, char *why, size_t size);
/* Effect: finds the programs of the parts behind the first one, for a job of `ranks` in all; the
 * first one's path is there already. 0, or -ENOEXEC with a sentence. */
int ft_parts_take(struct ft_program *program, int ranks, char *why, size_t size);
/* The path, the starter and the words of a rank. Strings and list are the program's. */
struct ft_part ft_parts_of(const struct ft_program *program, int rank);
void ft_parts_free(struct ft_program *program);

#endif
