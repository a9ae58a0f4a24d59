/* slots: the calls of a loaded object through its global offset table, and which function each
 * reaches.
 *
 * Thread rule: called by the main thread only, before the program runs. */
#ifndef FT_SLOTS_H
#define FT_SLOTS_H

#include <link.h>
#include <stdint.h>

struct ft_object {
    uintptr_t base, begin, end; /* where it lies */
    const ElfW(Dyn) * dynamic;
    uintptr_t relro, relro_end; /* what the dynamic linker has made read-only */
};

struct ft_object ft_object_of(const struct dl_phdr_info *info);
/* Is the address inside of the object? */
int ft_object_holds(const struct ft_object *object, uintptr_t address);

/* Effect: asks `function` about the name behind each slot; a slot that it answers gets the answer,
 * and those for which it answers NULL stay. Panics where the kernel forbids it. */
void ft_slots_turn(const struct ft_object *object, void *(*function)(const char *name));

/* The address of libft.so's own function of this name, whoever stands before it; NULL: it has none
 * and the MPI library neither. */
void *ft_slots_own(const char *name);

#endif
