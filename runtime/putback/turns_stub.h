/* turns_stub: three ranks that have accessed files, and what ftrun knows of that. */
#ifndef FT_PUTBACK_TURNS_STUB_H
#define FT_PUTBACK_TURNS_STUB_H

#include <stdint.h>

#include "files/format.h"
#include "putback/putback.h"

#define RANKS 3

enum { READ, CHANGE };

extern struct ft_recorder recorders[RANKS];
extern struct ft_member members[RANKS];
extern char folder[RANKS][96];
extern struct ft_run run;
extern uint32_t late; /* of accesses */

int setup(void **state);
int teardown(void **state);

/* The rank has accessed the path, before, in its call `moment`. Returns how many accesses are
 * known: its number, if it is new. */
uint32_t tells(int r, const struct ft_undo_access *told, const char *path);
uint32_t did_once_more(uint64_t look, int r, uint64_t time, uint64_t moment, int change,
                       const char *path);
uint32_t did(int r, uint64_t time, uint64_t moment, int change, const char *path);
void was_late(int r, uint64_t time, uint64_t moment, int change, const char *path);

/* Its oldest checkpoint is of this moment, when it had entered so many calls that are no polls. */
void keeps(int r, uint64_t time, uint64_t calls);

void publish(void);

/* It has entered so many calls that are no polls. */
void enters(int r, uint64_t calls);
void awaits(int r, uint32_t number);
int has_turn(int r, uint32_t number);

/* What it is told, as "NUMBER:MOMENT:r|c:PATH ". */
void expect_told(int r, const char *wanted);

#endif
