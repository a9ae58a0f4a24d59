/* modules: which loaded objects belong to the program, and where their writable state lies.
 *
 * The program's are the executable, libmimalloc (its data is the heap's bookkeeping), and every
 * shared library that is not needed by libft.so itself: MPI, libc and what they load are remade in
 * each life. A library that both sides use stays the MPI library's; nothing is said about it.
 * Found once, at the start, before the MPI library loads plugins. */
#ifndef FT_MODULES_H
#define FT_MODULES_H

#include <stddef.h>
#include <stdint.h>

#define FT_MODULES_MAX 256
#define FT_PARTS_MAX 1024 /* static memory: 24 + 16 bytes each */
#define FT_KEPT_MAX 256

struct ft_part {          /* a range of writable memory of a module of the program */
    uintptr_t begin, end; /* not page aligned at `begin` for data, page aligned for zero memory */
    int fresh;            /* 1: untouched pages are zero (bss): only touched ones are saved */
};

struct ft_kept { /* an object of the MPI library that the linker has put into the executable */
    uintptr_t begin;
    size_t bytes;
};

struct ft_code { /* a range of code */
    uintptr_t begin, end;
};

struct ft_modules {
    int parts;
    struct ft_part part[FT_PARTS_MAX]; /* writable segments and thread-local blocks */
    int codes;
    struct ft_code code[FT_PARTS_MAX]; /* see ft_modules_may_be_left */
    int kepts;
    struct ft_kept kept[FT_KEPT_MAX]; /* in parts, but of this life: no image puts them back */
    uint64_t layout;                  /* see ft_image_layout */
    uint64_t build;                   /* see ft_image_build */
};

/* Reads the list of loaded objects. Panics when there are more than the tables hold. */
void ft_modules_find(struct ft_modules *modules);

/* The list as it was at the program's start; found at the first call. */
const struct ft_modules *ft_modules_get(void);

/* Is this an address in code that a life may leave in the middle, and the next one continue? The
 * program's own is, and libm, which keeps nothing; not libmimalloc and libgomp, which are asked for
 * something while the rank leaves. */
int ft_modules_may_be_left(const struct ft_modules *modules, uintptr_t address);

#endif
