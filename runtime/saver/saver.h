/* saver: the inside of ft_saver.h, for its own files. */
#ifndef FT_SAVER_INSIDE_H
#define FT_SAVER_INSIDE_H

#include <stdint.h>
#include "ft_saver.h"
#include "ft.h"

#define FT_PLACE_COPY (-1)
#define FT_CODE_MOST 127 /* parts and parity blocks of a group */

struct ft_about {  /* a piece */
    int id, owner; /* of a parity block: the first owner of its group */
    int place;     /* FT_PLACE_COPY, or the number of the parity block */
    int pad;
    uint64_t bytes;
};

struct ft_piece {
    struct ft_piece *next;
    struct ft_about about;
    char data[];
};

struct ft_saver {
    MPI_Comm comm;  /* the program's */
    int rank, size; /* in it */
    int *numbers;   /* [size] of its ranks */
    int number;     /* this rank's */
    enum ft_saver_strategy strategy;
    int parts, parity;
    struct ft_piece *pieces;
    struct ft_layout *layouts;
};

struct ft_layout { /* how data were coded when they were saved; all ranks have it */
    struct ft_layout *next;
    int id, size, parts;
    struct {
        int number;
        uint64_t bytes; /* of its data */
    } owner[];          /* [size], by rank at that time */
};

struct ft_inventory { /* what all ranks have; the same on all */
    struct ft_about *about;
    int *counts, *starts; /* bytes of each rank's part; [size], [size + 1] */
};

struct ft_piece *ft_piece_find(const struct ft_saver *saver, int id, int owner, int place);
/* With undefined content; NULL: no memory. To be freed, or added. */
struct ft_piece *ft_piece_new(int id, int owner, int place, uint64_t bytes);
void ft_piece_add(struct ft_saver *saver, struct ft_piece *piece);
int ft_saver_send(const struct ft_saver *saver, const void *data, uint64_t bytes, int to);
int ft_saver_receive(const struct ft_saver *saver, void *data, uint64_t bytes, int from);
int ft_saver_agree(const struct ft_saver *saver, int code);
int ft_saver_rank_of(const struct ft_saver *saver, int number); /* -1: it is dead */

/* Collective. An MPI code or FT_SAVER_MEMORY; to be freed in any case. */
int ft_inventory_take(struct ft_saver *saver, struct ft_inventory *all);
void ft_inventory_free(struct ft_inventory *all);
const struct ft_about *ft_inventory_find(const struct ft_inventory *all, int rank, int id,
                                         int owner, int place);
/* The first rank that has it; NULL: nobody. */
const struct ft_about *ft_inventory_holder(const struct ft_saver *saver,
                                           const struct ft_inventory *all, int id, int owner,
                                           int place, int *holder);

/* Does the program handle failures (ftrun --ulfm)? */
int ft_saver_tolerates(void);

/* code.c: Reed-Solomon. Saves: adds the parity blocks that this rank has to keep to *fresh; the
 * layout is to be kept when all have saved, or freed. */
int ft_code_save(struct ft_saver *saver, const struct ft_piece *mine, struct ft_piece **fresh,
                 struct ft_layout **layout);
void ft_layout_keep(struct ft_saver *saver, struct ft_layout *layout); /* NULL is allowed */
void ft_layouts_free(struct ft_saver *saver);
/* Serves a wish for data of a dead rank, from what is left of its group. */
int ft_code_serve(struct ft_saver *saver, const struct ft_inventory *all, int id, int owner,
                  uint64_t room, int rank, void *data, size_t *bytes, int *result);

#endif
