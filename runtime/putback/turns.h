/* turns: an access of a file, as turns.c and doubt.c know it. Thread rule: single threaded. */
#ifndef FT_PUTBACK_TURNS_H
#define FT_PUTBACK_TURNS_H

#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "files/format.h"

struct ft_turns;

struct ft_access {
    UT_hash_handle hh; /* by what begins with `moment` */
    uint64_t time;     /* struct ft_undo_access; of a change of the name when it was done, */
    uint64_t begun;    /* and before that */
    enum ft_access_change change;
    enum ft_access_needs needs;
    enum ft_access_needs found; /* struct ft_undo_access */
    uint64_t seen;              /* likewise; */
    uint64_t seen_behind;       /* of a change of the name: as told when it was done */
    int late;    /* struct ft_undo_access */
    int old;     /* it was known when ranks went back before */
    int again;   /* a life before had entered the next call: it did this, too, or did not need to */
    int gone;    /* it is to be forgotten */
    uint32_t number;
    int waits, waited;       /* for one before it; one behind it waits for this one */
    size_t place, first;     /* in `sorted`: its own, and that of the path's first one */
    size_t open;             /* of the path's first one: the ones before this place are over */
    size_t names, names_end; /* where those are that it has to keep its order with besides: of the
                                paths in the folder whose names it reads, or the readings of these
                                names */
    size_t above, above_end; /* and of the folder above it that comes or goes (below.c) */
    struct ft_access
        *other; /* of a file that is renamed, what happens to its other name; or NULL */
    uint64_t moment, look;
    int rank;
    char path[];
};

/* The change of a name was then, and so was that of the file's other one. */
void ft_turns_put_at(struct ft_access *access, uint64_t time);

/* Of one path, by time: puts those that must have been before others before them; one of two names
 * with the other. Returns how many. */
int ft_turns_untangle(struct ft_access **sorted, size_t begin, size_t end);

/* Where the names in a folder are read from `begin` to `end`: the same for what they have shown. */
int ft_turns_untangle_names(const struct ft_turns *turns, size_t begin, size_t end);
/* And marks who waits for whom. */
void ft_turns_mark_names(const struct ft_turns *turns, size_t begin, size_t end);
/* Who reads the names in a folder has to keep its order with those that change one: it may have
 * found what was told of, and not done, when it said that it would read. */
int ft_turns_are_names(const struct ft_access *reading, const struct ft_access *access);

/* In `sorted`, where all else is marked: from `begin` to `end` are the accesses of a path, which
 * wait for whoever has made a folder above it. */
void ft_turns_mark_below(const struct ft_turns *turns, size_t begin, size_t end);
/* Of one of them, and of an access of that folder: is it one that is waited for? */
int ft_turns_made(const struct ft_access *maker, const struct ft_access *access);

#endif
