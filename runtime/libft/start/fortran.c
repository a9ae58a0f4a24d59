/* MPI's Fortran bindings.
 *
 * mpif.h and `use mpi` call MPI_*, as C does, and so reach the wrappers. `use mpi_f08` calls PMPI_*
 * for everything without a buffer (MPICH 4.0, src/binding/fortran/use_mpi_f08), which would bypass
 * them: with virtual handles in hand. start/layers.c turns these calls to the wrappers. Attributes
 * go to functions of libmpich that no header names (MPII_*); functions of this file stand for
 * those, and a key gets the proxies that call its functions in Fortran (handle/attribute.c).
 *
 * libmpich learns the addresses of the sentinels that it has to know (MPI_STATUS_IGNORE) from
 * mpirinitf_, which the bindings call once, at their first call. A later life has a libmpich that
 * knows nothing, and a libmpichfort whose memory, from the image, says that it was told. So each
 * life tells it anew. The addresses are those of common blocks of the program, in each life the
 * same. */
#include "start/fortran.h"

#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <libunwind.h>
#include <mpi.h>
#include <string.h>

#include "handle/handle.h"
#include "process.h"
#include "start/slots.h"

static struct ft_object bindings; /* of this process: the same in each life */

/* ---- The library ---- */

static int bindings_find(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct ft_object *found = closure;
    const char *slash = strrchr(info->dlpi_name ? info->dlpi_name : "", '/');

    (void)size;
    if (strncmp(slash ? slash + 1 : info->dlpi_name, "libmpichfort.so", 15) != 0)
        return 0;
    *found = ft_object_of(info);
    return 1;
}

/* ---- Attributes ---- */

/* Fortran's predefined keys are C's and 1, and their value is the number, not its address. */
static int keyval_is_predefined(int keyval)
{
    return ((unsigned)keyval & ~15u) == 0x64400000 && !(keyval & 1);
}

/* `type` says how the caller's language takes the value. The program's own values are addresses as
 * well as integers of that size, so it is of no use. */
static int comm_get(MPI_Comm comm, int keyval, void *value, int *flag, int type)
{
    int *number, code;

    (void)type;
    if (!keyval_is_predefined(keyval))
        return MPI_Comm_get_attr(comm, keyval, value, flag);
    code = MPI_Comm_get_attr(comm, keyval - 1, &number, flag);
    if (code == MPI_SUCCESS && *flag)
        *(MPI_Aint *)value = *number;
    return code;
}

static int comm_set(MPI_Comm comm, int keyval, void *value, int type)
{
    (void)type;
    return MPI_Comm_set_attr(comm, keyval, value);
}

static int type_get(MPI_Datatype datatype, int keyval, void *value, int *flag, int type)
{
    (void)type;
    return MPI_Type_get_attr(datatype, keyval, value, flag);
}

static int type_set(MPI_Datatype datatype, int keyval, void *value, int type)
{
    (void)type;
    return MPI_Type_set_attr(datatype, keyval, value);
}

static int window_get(void)
{
    ft_refuse("MPI_Win_get_attr", __builtin_return_address(0),
              "attributes of windows are not carried in Fortran: keep the value in a variable");
}

static int window_set(void)
{
    ft_refuse("MPI_Win_set_attr", __builtin_return_address(0),
              "attributes of windows are not carried in Fortran: keep the value in a variable");
}

static void keyval_proxy(int keyval, void *copy, void *drop)
{
    ft_keyval_set_proxy(ft_self, keyval, copy, drop);
}

/* ---- The calls ---- */

/* The function that a slot of this name is to hold, or NULL: it stays. */
static void *function_of(const char *name)
{
    static const struct {
        const char *name;
        void *function;
    } own[] = {
        {"MPII_Comm_get_attr", (void *)comm_get},       {"MPII_Comm_set_attr", (void *)comm_set},
        {"MPII_Type_get_attr", (void *)type_get},       {"MPII_Type_set_attr", (void *)type_set},
        {"MPII_Win_get_attr", (void *)window_get},      {"MPII_Win_set_attr", (void *)window_set},
        {"MPII_Keyval_set_proxy", (void *)keyval_proxy}};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(name, own[i].name) == 0)
            return own[i].function;
    return NULL;
}

void ft_fortran_start(void)
{
    void (*sentinels_tell)(void);

    if (!dl_iterate_phdr(bindings_find, &bindings))
        return;
    ft_slots_turn(&bindings, function_of);
    sentinels_tell = (void (*)(void))dlsym(RTLD_DEFAULT, "mpirinitf_");
    if (sentinels_tell)
        sentinels_tell();
}

/* ---- The caller ---- */

const void *ft_fortran_caller(const void *site)
{
    unw_context_t context;
    unw_cursor_t cursor;
    int passed = 0;

    if (!bindings.end || !ft_object_holds(&bindings, (uintptr_t)site) ||
        unw_getcontext(&context) != 0 || unw_init_local(&cursor, &context) != 0)
        return site;
    while (unw_step(&cursor) > 0) {
        unw_word_t at;

        unw_get_reg(&cursor, UNW_REG_IP, &at);
        if (passed && !ft_object_holds(&bindings, at))
            return (const void *)at;
        passed |= ft_object_holds(&bindings, at);
    }
    return site;
}
