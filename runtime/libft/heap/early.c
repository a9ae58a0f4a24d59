/* Finds the caller before main (early.h).
 *
 * The dynamic linker calls first, when libc has no environment yet. With the first one behind it
 * the modules are found, or nothing is looked up any more. */
#include "heap/early.h"

#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include "image/modules.h"
#include "process.h"

struct early_module { /* of the program */
    uintptr_t begin, end;
};

int ft_early = 1;
static struct early_module early_module[FT_MODULES_MAX];
static int early_modules;
static int early_found;
static struct ft_modules early_saved;

static int is_saved(const struct early_module *module)
{
    for (int i = 0; i < early_saved.parts; i++)
        if (early_saved.part[i].begin >= module->begin && early_saved.part[i].begin < module->end)
            return 1;
    return 0;
}

static int module_add(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct early_module module = {UINTPTR_MAX, 0};

    (void)size;
    (void)closure;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t begin = info->dlpi_addr + header->p_vaddr;

        if (header->p_type != PT_LOAD)
            continue;
        if (begin < module.begin)
            module.begin = begin;
        if (begin + header->p_memsz > module.end)
            module.end = begin + header->p_memsz;
    }
    if (early_modules < FT_MODULES_MAX && is_saved(&module))
        early_module[early_modules++] = module;
    return 0;
}

static void modules_find(void)
{
    early_found = 1;
    ft_modules_find(&early_saved);
    dl_iterate_phdr(module_add, NULL);
}

int ft_early_asks(const void *caller)
{
    if (!ft_early || environ == NULL)
        return 0;
    if (!early_found && getenv(FT_WIRE_ENV) == NULL)
        ft_early_end();
    else if (!early_found)
        modules_find();
    for (int i = 0; i < early_modules; i++)
        if ((uintptr_t)caller >= early_module[i].begin && (uintptr_t)caller < early_module[i].end)
            return 1;
    return 0;
}

void ft_early_end(void)
{
    ft_early = 0;
    early_modules = 0;
}
