/* points: where a fault plan can inject faults (points.def), the kinds of faults, and their names.
 *
 * The numbers are those of one build; they are never stored in a file. Thread rule: constants. */
#ifndef FT_POINTS_H
#define FT_POINTS_H

#include <stdint.h>

enum ft_point {
#define FT_POINT(identifier, name, process, argument, sentence) FT_POINT_##identifier,
#include "points/points.def"
#undef FT_POINT
    FT_POINTS /* how many */
};

enum ft_point_process { FT_POINT_OF_RANK, FT_POINT_OF_WRITER, FT_POINT_OF_FTRUN };

enum ft_moment { FT_MOMENT_BEFORE, FT_MOMENT_INSIDE, FT_MOMENT_AFTER }; /* of an MPI call */

enum ft_fault_kind {
    FT_FAULT_NONE,
    FT_FAULT_KILL,     /* by a signal */
    FT_FAULT_EXIT,     /* exit(status) in the program, _exit(status) at a point of the runtime */
    FT_FAULT_EXIT_NOW, /* _exit(status) */
    FT_FAULT_SEGV,     /* a write through a null pointer */
    FT_FAULT_ABORT,    /* abort() */
    FT_FAULT_HANG,     /* SIGSTOP */
    FT_FAULT_SLOW,     /* sleeps for some seconds, and goes on */
    FT_FAULT_FULL,     /* the disk is full: the write at this point fails */
    FT_FAULT_CORRUPT,  /* a byte of the image file differs from what was written */
    FT_FAULT_FLIP,     /* a bit of the program's memory changes */
    FT_FAULT_NODE,     /* the agent of the rank's node is killed, and all of its ranks with it */
    FT_FAULT_LINK,     /* the connection between ftrun and the rank's node breaks */
    FT_FAULT_KINDS
};

struct ft_point_info {
    const char *name;
    enum ft_point_process process;
    const char *argument; /* "": the point has none */
    const char *sentence;
};

extern const struct ft_point_info ft_points[FT_POINTS];
/* The word of a plan for a kind: "kill", "disk-full"; for a moment: "before". */
extern const char *const ft_fault_kinds[FT_FAULT_KINDS];
extern const char *const ft_moments[3];

/* Does the kind need the help of the code at the point, and the point has it? Kinds that end or
 * stop a process are possible everywhere. */
int ft_point_can(enum ft_point point, enum ft_fault_kind kind);

#endif
