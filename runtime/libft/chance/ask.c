/* Decides whether a clock or random read is recorded: only those of the program's main thread
 * are. */
#include "chance/ask.h"

#include <link.h>
#include <mimalloc.h>

#include "chance/chance.h"
#include "determinant/reading.h"
#include "request/again.h"

struct code { /* of a loaded object */
    uintptr_t inside, begin, end;
};

static struct code allocator = {.inside = (uintptr_t)&mi_malloc};
static struct code runtime = {.inside = (uintptr_t)&ft_chance_start};
static const int *main_depth; /* ft_depth of the thread of main */

static int code_find(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct code *code = closure;

    (void)size;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD && code->inside - begin < header->p_memsz) {
            code->begin = begin;
            code->end = begin + header->p_memsz;
            return 1;
        }
    }
    return 0;
}

void ft_chance_start(void)
{
    dl_iterate_phdr(code_find, &allocator);
    dl_iterate_phdr(code_find, &runtime);
    main_depth = &ft_depth;
}

static inline int is_in(const void *caller, const struct code *code)
{
    return (uintptr_t)caller - code->begin < code->end - code->begin;
}

struct ft_rank *ask_recorded(const void *caller)
{
    struct ft_rank *self = ft_self;

    if (ft_likely(ft_depth != 0 || self == NULL || self->spbc == NULL))
        return NULL;
    if (self->mpi_state != 1 || self->in_callback || main_depth != &ft_depth)
        return NULL;
    return is_in(caller, &allocator) || is_in(caller, &runtime) ? NULL : self;
}

void ask_value(struct ft_rank *self, enum ft_value_kind kind, void *data, size_t bytes)
{
    ft_depth++;
    if (!ft_value_again(self, kind, data, bytes))
        ft_determinant_value_note(self, kind, data, bytes);
    ft_depth--;
}

int64_t ask_clock(struct ft_rank *self, enum ft_clock clock, int64_t live)
{
    int64_t moment;

    ft_depth++;
    if (ft_likely(!ft_determinants_replay(self->spbc->determinants)) ||
        !ft_clock_again(self, clock, &moment))
        moment = ft_reading_note(self, clock, live);
    ft_depth--;
    return moment;
}

int64_t ask_number(struct ft_rank *self, enum ft_value_kind kind, int64_t live)
{
    ask_value(self, kind, &live, sizeof live);
    return live;
}
