/* store_fixture.h: an open store in a folder of its own, and a checkpoint for it: of the tests of
 * this room. */
#ifndef FT_STORE_FIXTURE_H
#define FT_STORE_FIXTURE_H
#include "store/store.h"

extern char base[64];            /* the folder that holds the store, for anything else, too */
extern char path[FT_STORE_PATH]; /* a test's own */
extern char why[FT_STORE_WHY];
extern struct ft_store *store;   /* base/a/b */
extern const char *unsynced;     /* a folder for which fsync fails; NULL: none */
extern int no_memory, no_folder; /* the store gets no memory; it cannot read a folder */
extern int no_status;            /* it cannot learn what kind a file is */
extern int copies, refused_copy; /* texts it has copied, and which gets no memory, from 1 on */

/* Set-up and tear-down of cmocka; the latter fails where a test has left anything but a store. */
int open_store(void **state);
int close_store(void **state);

/* An image of a checkpoint that has begun. */
void write_image(uint32_t checkpoint, int rank, const char *text);

/* A manifest of two ranks; the caller's. */
struct ft_manifest *sample(uint32_t checkpoint);

/* The whole checkpoint, committed. */
void commit(uint32_t checkpoint);
#endif
