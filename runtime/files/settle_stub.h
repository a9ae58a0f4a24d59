/* settle_stub: a rank that waits for files of others, and what ftrun does meanwhile: that is in
 * ft_gate_pass, here, which plays a step of a script each time the rank looks once more. Thread
 * rule: as settle.h. */
#ifndef FT_FILES_SETTLE_STUB_H
#define FT_FILES_SETTLE_STUB_H

#include <stdint.h>
#include <stdio.h>

#include "files/format.h"
#include "files/record.h"
#include "files/settle.h"
#include "files/work.h"

#define NUMBER 12 /* of a turn */

extern struct ft_recorder recorder;
extern struct ft_files files;
extern struct ft_rank self;
extern char refused[512];
extern uint32_t lists;     /* number of the newest ones */
extern int passes, rounds; /* looks, and how many of them nothing happens in */
extern void (*happens)(void);
extern uint32_t awaited; /* at the last look */
extern int clock_looks;
extern double clock_step; /* seconds between two looks at the clock */
extern uint64_t look_now; /* of the access that is made */

int setup(void **state);
int teardown(void **state);

/* Lists of ftrun. */
FILE *list_open(const char *name, const char *mode);
void put_back(const char *name);
void stayed(const char *name); /* a folder that others had filled */
void has_turn(uint64_t moment, uint32_t number, int change, const char *name);
void first_waits_not(const char *name); /* the one turn in this file waits for nobody */
/* As the `look`th access of the path at that moment. */
void has_turn_at(uint64_t look, uint64_t moment, uint32_t number, int change, const char *name);
void has_found(enum ft_access_needs found, uint64_t moment, uint32_t number, const char *name);
/* They are in force. The rank is in its 6th call, and had been in `reached`. */
void go(uint64_t reached);

/* What may happen. */
void grants(void);
void settles(void);
void nothing_happens(void);
void makes_folder(void); /* folder/new */

/* How often the rank has to look before the access of the path goes on, when ftrun does it behind
 * the third look. */
int waits(const char *path, enum files_kind kind, void (*what)(void));
int waits_for_all(const char *path, enum files_kind kind);
int waits_for_turn(const char *path, enum files_kind kind);

#endif
