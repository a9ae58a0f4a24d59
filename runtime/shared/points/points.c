/* points: the tables. */
#include "points/points.h"

#define RANK FT_POINT_OF_RANK
#define WRITER FT_POINT_OF_WRITER
#define FTRUN FT_POINT_OF_FTRUN

const struct ft_point_info ft_points[FT_POINTS] = {
#define FT_POINT(identifier, name, process, argument, sentence) {name, process, argument, sentence},
#include "points/points.def"
#undef FT_POINT
};

const char *const ft_fault_kinds[FT_FAULT_KINDS] = {
    "none",  "kill", "exit", "_exit",     "segv",
    "abort", "hang", "slow", "disk-full", "corrupt-checkpoint",
    "flip",  "node", "link"};

const char *const ft_moments[3] = {"before", "inside", "after"};

int ft_point_can(enum ft_point point, enum ft_fault_kind kind)
{
    enum ft_point_process process = ft_points[point].process;

    switch (kind) {
    case FT_FAULT_FULL:
        return point == FT_POINT_CHECKPOINT_WRITE || point == FT_POINT_LOG_SPILL;
    case FT_FAULT_CORRUPT:
        return point == FT_POINT_CHECKPOINT_SYNC;
    case FT_FAULT_LINK:
        return process == FT_POINT_OF_FTRUN;
    case FT_FAULT_FLIP:
        return point <= FT_POINT_PROGRAM;
    case FT_FAULT_EXIT:
    case FT_FAULT_EXIT_NOW:
    case FT_FAULT_SLOW:
    case FT_FAULT_SEGV:
    case FT_FAULT_ABORT:
        return process != FT_POINT_OF_FTRUN;
    default:
        return 1;
    }
}
