/* A layer defines MPI_Send and calls PMPI_Send. Its calls would reach the MPI library, which knows
 * nothing of virtual handles: their slots in the global offset table get the wrappers. The
 * program's calls of MPI_Send reach a layer that is preloaded or in the executable; one in a
 * library stands behind libft.so, which is linked first, and the slots of these calls get the
 * layer's function. `use mpi_f08` is such a layer, too (start/fortran.c).
 *
 * Objects are looked at in the order in which the dynamic linker searches them. */
#include "start/layers.h"

#include <dlfcn.h>
#include <string.h>

#include "calls/calls.h"
#include "process.h"
#include "start/slots.h"

#define LAYERS_MAX 16

struct layers {
    uintptr_t library; /* an address of the MPI library */
    int count;
    struct ft_object object[LAYERS_MAX];
    void *handle[LAYERS_MAX];
};

static struct layers layers; /* of this process */
static int calls_profiling;  /* does the object that is turned call PMPI_X? */

/* Not an object of the library, such as the place that stands for MPI_IN_PLACE in Fortran. */
static int is_call(const char *name)
{
    return strncmp(name, "MPI", 3) == 0 && ft_call_find(name) != FT_CALL_NONE;
}

static void *wrapper_of_profiling(const char *name)
{
    if (strncmp(name, "PMPI", 4) != 0 || !is_call(name + 1))
        return NULL;
    calls_profiling = 1;
    return ft_slots_own(name + 1);
}

/* The runtime's own calls of its wrappers are none of the program's. */
static void *wrapper_of_own(const char *name)
{
    return is_call(name) ? ft_slots_own(name) : NULL;
}

static void *function_of_layer(const char *name)
{
    if (!is_call(name))
        return NULL;
    for (int i = 0; i < layers.count; i++) {
        void *function = dlsym(layers.handle[i], name);

        if (function && ft_object_holds(&layers.object[i], (uintptr_t)function))
            return function;
    }
    return NULL;
}

static int is_of_program(const struct ft_object *object)
{
    return !ft_object_holds(object, (uintptr_t)&ft_layers_start) &&
           !ft_object_holds(object, layers.library);
}

static void layer_add(const struct ft_object *object, const char *path)
{
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);

    if (!handle) /* the vdso */
        return;
    if (layers.count == LAYERS_MAX)
        ft_panic("more than %d shared libraries call PMPI_ functions", LAYERS_MAX);
    layers.object[layers.count] = *object;
    layers.handle[layers.count++] = handle;
}

static int profiling_turn(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct ft_object object = ft_object_of(info);

    (void)size;
    (void)closure;
    calls_profiling = 0;
    if (is_of_program(&object))
        ft_slots_turn(&object, wrapper_of_profiling);
    else if (!ft_object_holds(&object, layers.library))
        ft_slots_turn(&object, wrapper_of_own);
    if (calls_profiling && *info->dlpi_name) /* the executable's functions come first anyway */
        layer_add(&object, info->dlpi_name);
    return 0;
}

static int program_turn(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct ft_object object = ft_object_of(info);

    (void)size;
    (void)closure;
    if (is_of_program(&object))
        ft_slots_turn(&object, function_of_layer);
    return 0;
}

/* The library's address is not PMPI_Init by name: a program that takes a function's address has
 * the one that all see. */
void ft_layers_start(void)
{
    layers.library = (uintptr_t)ft_slots_own("PMPI_Init");
    dl_iterate_phdr(profiling_turn, NULL);
    if (layers.count > 0)
        dl_iterate_phdr(program_turn, NULL);
}
