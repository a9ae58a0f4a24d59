/* MPI's Fortran bindings.
 *
 * mpif.h and `use mpi` call MPI_*, as C does, and so reach the wrappers. `use mpi_f08` calls PMPI_*
 * for everything without a buffer (MPICH 4.0, src/binding/fortran/use_mpi_f08), which would bypass
 * them: with virtual handles in hand. So these slots of libmpichfort's global offset table get the
 * wrappers. Attributes go to functions of libmpich that no header names (MPII_*); functions of
 * this file stand for those, and a key gets the proxies that call its functions in Fortran
 * (handle/attribute.c).
 *
 * libmpich learns the addresses of the sentinels that it has to know (MPI_STATUS_IGNORE) from
 * mpirinitf_, which the bindings call once, at their first call. A later life has a libmpich that
 * knows nothing, and a libmpichfort whose memory, from the image, says that it was told. So each
 * life tells it anew. The addresses are those of common blocks of the program, in each life the
 * same. */
#include "start/fortran.h"

#define UNW_LOCAL_ONLY
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <libunwind.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "handle/handle.h"
#include "process.h"

#define PAGE 4096UL

struct bindings {
    uintptr_t base, begin, end; /* where the library lies */
    const ElfW(Dyn) * dynamic;
    uintptr_t relro, relro_end; /* what the dynamic linker has made read-only */
};

static struct bindings bindings; /* of this process: the same in each life */

/* ---- The library ---- */

static int bindings_find(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct bindings *found = closure;
    const char *slash = strrchr(info->dlpi_name ? info->dlpi_name : "", '/');

    (void)size;
    if (strncmp(slash ? slash + 1 : info->dlpi_name, "libmpichfort.so", 15) != 0)
        return 0;
    found->base = info->dlpi_addr;
    found->begin = UINTPTR_MAX;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD && at < found->begin)
            found->begin = at;
        if (header->p_type == PT_LOAD && at + header->p_memsz > found->end)
            found->end = at + header->p_memsz;
        if (header->p_type == PT_DYNAMIC)
            found->dynamic = (const void *)at;
        if (header->p_type == PT_GNU_RELRO) {
            found->relro = at & ~(PAGE - 1);
            found->relro_end = (at + header->p_memsz) & ~(PAGE - 1);
        }
    }
    return 1;
}

static uintptr_t dynamic_value(ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *entry = bindings.dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag)
            return entry->d_un.d_ptr;
    return 0;
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

/* The wrapper that a slot of this name is to hold, or NULL: it stays. */
static void *wrapper_of(const char *name)
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
    return strncmp(name, "PMPI", 4) == 0 ? dlsym(RTLD_DEFAULT, name + 1) : NULL;
}

static void slots_turn(uintptr_t table, size_t bytes)
{
    const ElfW(Sym) *symbols = (const void *)dynamic_value(DT_SYMTAB);
    const char *strings = (const char *)dynamic_value(DT_STRTAB);
    const ElfW(Rela) *slot = (const void *)table;

    for (size_t i = 0; i < bytes / sizeof *slot; i++) {
        unsigned long type = ELF64_R_TYPE(slot[i].r_info);
        const char *name = strings + symbols[ELF64_R_SYM(slot[i].r_info)].st_name;
        void *wrapper =
            type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64
                ? wrapper_of(name)
                : NULL;

        if (wrapper)
            memcpy((void *)(bindings.base + slot[i].r_offset), &wrapper, sizeof wrapper);
    }
}

static void calls_turn(void)
{
    size_t guarded = bindings.relro_end - bindings.relro;

    if (guarded && mprotect((void *)bindings.relro, guarded, PROT_READ | PROT_WRITE) != 0)
        ft_panic("the calls of Fortran cannot be turned to the runtime: %s", strerror(errno));
    slots_turn(dynamic_value(DT_JMPREL), dynamic_value(DT_PLTRELSZ));
    slots_turn(dynamic_value(DT_RELA), dynamic_value(DT_RELASZ));
    if (guarded)
        mprotect((void *)bindings.relro, guarded, PROT_READ);
}

void ft_fortran_start(void)
{
    void (*sentinels_tell)(void);

    if (!dl_iterate_phdr(bindings_find, &bindings))
        return;
    calls_turn();
    sentinels_tell = (void (*)(void))dlsym(RTLD_DEFAULT, "mpirinitf_");
    if (sentinels_tell)
        sentinels_tell();
}

/* ---- The caller ---- */

static int is_inside(uintptr_t address)
{
    return address - bindings.begin < bindings.end - bindings.begin;
}

const void *ft_fortran_caller(const void *site)
{
    unw_context_t context;
    unw_cursor_t cursor;
    int passed = 0;

    if (!bindings.end || !is_inside((uintptr_t)site) || unw_getcontext(&context) != 0 ||
        unw_init_local(&cursor, &context) != 0)
        return site;
    while (unw_step(&cursor) > 0) {
        unw_word_t at;

        unw_get_reg(&cursor, UNW_REG_IP, &at);
        if (passed && !is_inside(at))
            return (const void *)at;
        passed |= is_inside(at);
    }
    return site;
}
