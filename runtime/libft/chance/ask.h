/* ask: what the wrappers of this room share. Nobody outside includes this. */
#ifndef FT_ASK_H
#define FT_ASK_H

#include "determinant/determinant.h"
#include "os/os.h"
#include "process.h"

/* The rank, when this call is to be recorded or given again; caller: its return address. */
struct ft_rank *ask_recorded(const void *caller);
#define ASK_RECORDED() ask_recorded(__builtin_return_address(0))

/* `data` holds libc's answer: a replay overwrites it with what was recorded, and otherwise it is
 * recorded. */
void ask_value(struct ft_rank *self, enum ft_value_kind kind, void *data, size_t bytes);
/* The time that the program is told when a clock says `live`, nanoseconds. */
int64_t ask_clock(struct ft_rank *self, enum ft_clock clock, int64_t live);
int64_t ask_number(struct ft_rank *self, enum ft_value_kind kind, int64_t live);

/* libc's own function, found at the first call. */
#define ASK_NEXT(name)                                                                             \
    ({                                                                                             \
        static __typeof__(&name) next_;                                                            \
        if (ft_unlikely(next_ == NULL))                                                            \
            next_ = (__typeof__(&name))ft_os_next_symbol(#name);                                   \
        next_;                                                                                     \
    })

#endif
