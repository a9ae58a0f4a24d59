#include "start/slots.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "process.h"

#define PAGE 4096UL

struct ft_object ft_object_of(const struct dl_phdr_info *info)
{
    struct ft_object found = {.base = info->dlpi_addr, .begin = UINTPTR_MAX};

    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t at = info->dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD && at < found.begin)
            found.begin = at;
        if (header->p_type == PT_LOAD && at + header->p_memsz > found.end)
            found.end = at + header->p_memsz;
        if (header->p_type == PT_DYNAMIC)
            found.dynamic = (const void *)at;
        if (header->p_type == PT_GNU_RELRO) {
            found.relro = at & ~(PAGE - 1);
            found.relro_end = (at + header->p_memsz) & ~(PAGE - 1);
        }
    }
    return found;
}

int ft_object_holds(const struct ft_object *object, uintptr_t address)
{
    return address >= object->begin && address < object->end;
}

static uintptr_t dynamic_value(const struct ft_object *object, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *entry = object->dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag)
            return entry->d_un.d_ptr;
    return 0;
}

/* May what the dynamic linker has made read-only be written? */
static void guard(const struct ft_object *object, int protection)
{
    size_t guarded = object->relro_end - object->relro;

    if (guarded && mprotect((void *)object->relro, guarded, protection) != 0)
        ft_panic("calls of MPI cannot be turned to the runtime: %s", strerror(errno));
}

/* Returns how many slots of this table were turned. */
static int table_turn(const struct ft_object *object, uintptr_t table, size_t bytes,
                      void *(*function)(const char *name), int open)
{
    const ElfW(Sym) *symbols = (const void *)dynamic_value(object, DT_SYMTAB);
    const char *strings = (const char *)dynamic_value(object, DT_STRTAB);
    const ElfW(Rela) *slot = (const void *)table;
    int turned = 0;

    for (size_t i = 0; symbols && strings && i < bytes / sizeof *slot; i++) {
        unsigned long type = ELF64_R_TYPE(slot[i].r_info);
        void *answer =
            type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64
                ? function(strings + symbols[ELF64_R_SYM(slot[i].r_info)].st_name)
                : NULL;

        if (!answer)
            continue;
        if (!open && turned == 0)
            guard(object, PROT_READ | PROT_WRITE);
        memcpy((void *)(object->base + slot[i].r_offset), &answer, sizeof answer);
        turned++;
    }
    return turned;
}

void ft_slots_turn(const struct ft_object *object, void *(*function)(const char *name))
{
    int turned = table_turn(object, dynamic_value(object, DT_JMPREL),
                            dynamic_value(object, DT_PLTRELSZ), function, 0);

    turned += table_turn(object, dynamic_value(object, DT_RELA), dynamic_value(object, DT_RELASZ),
                         function, turned > 0);
    if (turned > 0)
        guard(object, PROT_READ);
}

void *ft_slots_own(const char *name)
{
    static void *library; /* of this process */
    Dl_info self;

    if (!library && dladdr((void *)(uintptr_t)&ft_slots_own, &self))
        library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    return library ? dlsym(library, name) : NULL;
}
