/* The program's modules (modules.h).
 *
 * shared = closure of DT_NEEDED from libft.so; the program's = all loaded - shared + libmimalloc.
 */
#include "image/modules.h"

#include <link.h>
#include <mimalloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/base.h"
#include "library/library.h"
#include "os/os.h"

#define PAGE 4096UL

struct object {
    struct dl_phdr_info info;
    const char *name; /* last component of the path; "" for the executable */
    const ElfW(Dyn) * dynamic;
    int shared; /* in the closure of libft.so */
};

struct list {
    int count;
    struct object object[FT_MODULES_MAX];
};

static const char *last_component(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

static int list_add(struct dl_phdr_info *info, size_t size, void *closure)
{
    struct list *list = closure;
    struct object *object = &list->object[list->count];

    (void)size;
    if (list->count == FT_MODULES_MAX)
        ft_panic("the program loads more than %d shared libraries", FT_MODULES_MAX);
    object->info = *info;
    object->name = last_component(info->dlpi_name ? info->dlpi_name : "");
    object->shared = 0;
    object->dynamic = NULL;
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
            object->dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    list->count++;
    return 0;
}

static int object_holds(const struct object *object, const void *address)
{
    for (int i = 0; i < object->info.dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->info.dlpi_phdr[i];

        if (header->p_type == PT_LOAD &&
            (uintptr_t)address - (object->info.dlpi_addr + header->p_vaddr) < header->p_memsz)
            return 1;
    }
    return 0;
}

static uintptr_t dynamic_value(const struct object *object, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *entry = object->dynamic; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag)
            return entry->d_un.d_ptr;
    return 0;
}

static const char *object_strings(const struct object *object)
{
    return (const char *)dynamic_value(object, DT_STRTAB);
}

/* Marks an object and, recursively, everything it needs, as shared with the MPI library. */
static void mark_shared(struct list *list, struct object *object)
{
    const char *strings = object_strings(object);

    object->shared = 1;
    for (const ElfW(Dyn) *entry = object->dynamic; strings && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag != DT_NEEDED)
            continue;
        for (int i = 0; i < list->count; i++)
            if (!list->object[i].shared &&
                strcmp(list->object[i].name, last_component(strings + entry->d_un.d_val)) == 0)
                mark_shared(list, &list->object[i]);
    }
}

static void part_add(struct ft_modules *modules, uintptr_t begin, uintptr_t end, int fresh)
{
    if (begin >= end)
        return;
    if (modules->parts == FT_PARTS_MAX)
        ft_panic("the program has more than %d writable segments", FT_PARTS_MAX);
    modules->part[modules->parts++] = (struct ft_part){begin, end, fresh};
}

/* End of the part of a segment that the dynamic linker made read-only again, or `begin`. */
static uintptr_t relro_end(const struct object *object, uintptr_t begin, uintptr_t end)
{
    for (int i = 0; i < object->info.dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->info.dlpi_phdr[i];
        uintptr_t relro = object->info.dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_GNU_RELRO && relro >= (begin & ~(PAGE - 1)) && relro < end) {
            uintptr_t stop = (relro + header->p_memsz) & ~(PAGE - 1);

            return stop > begin ? stop : begin;
        }
    }
    return begin;
}

/* A writable segment: initialised data as it is, zero memory page by page. */
static void parts_of_segment(struct ft_modules *modules, const struct object *object,
                             const ElfW(Phdr) * header)
{
    uintptr_t begin = object->info.dlpi_addr + header->p_vaddr;
    uintptr_t file_end = begin + header->p_filesz;
    uintptr_t end = begin + header->p_memsz;
    uintptr_t zero = (file_end + PAGE - 1) & ~(PAGE - 1);
    uintptr_t start = relro_end(object, begin, end);

    part_add(modules, start, zero < end ? zero : end, 0);
    part_add(modules, zero > start ? zero : start, (end + PAGE - 1) & ~(PAGE - 1), 1);
}

static void parts_of_object(struct ft_modules *modules, const struct object *object)
{
    for (int i = 0; i < object->info.dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->info.dlpi_phdr[i];

        if (header->p_type == PT_LOAD && (header->p_flags & PF_W))
            parts_of_segment(modules, object, header);
        if (header->p_type == PT_TLS && object->info.dlpi_tls_data != NULL) {
            uintptr_t block = (uintptr_t)object->info.dlpi_tls_data;

            part_add(modules, block, block + header->p_memsz, 0);
        }
    }
}

static int is_named(const struct object *object, const char *begin)
{
    return strncmp(object->name, begin, strlen(begin)) == 0;
}

static int may_be_left(const struct object *object)
{
    if (is_named(object, "libm.so.") || is_named(object, "libmvec.so."))
        return 1;
    return !object->shared && object->info.dlpi_addr != getauxval(AT_SYSINFO_EHDR) &&
           !is_named(object, "libgomp.so.") && !object_holds(object, (const void *)&mi_malloc);
}

static void codes_of_object(struct ft_modules *modules, const struct object *object)
{
    for (int i = 0; i < object->info.dlpi_phnum && modules->codes < FT_PARTS_MAX; i++) {
        const ElfW(Phdr) *header = &object->info.dlpi_phdr[i];
        uintptr_t begin = object->info.dlpi_addr + header->p_vaddr;

        if (header->p_type == PT_LOAD && (header->p_flags & PF_X))
            modules->code[modules->codes++] = (struct ft_code){begin, begin + header->p_memsz};
    }
}

int ft_modules_may_be_left(const struct ft_modules *modules, uintptr_t address)
{
    for (int i = 0; i < modules->codes; i++)
        if (address >= modules->code[i].begin && address < modules->code[i].end)
            return 1;
    return 0;
}

/* A program that is not position independent gets copies of the data that it uses of shared
 * libraries, and the libraries use the copies. Those of the MPI library are the library's. */
static void kept_of_executable(struct ft_modules *modules, const struct object *object)
{
    const ElfW(Rela) *slot = (const void *)dynamic_value(object, DT_RELA);
    const ElfW(Sym) *symbols = (const void *)dynamic_value(object, DT_SYMTAB);
    const char *strings = object_strings(object);
    size_t slots = dynamic_value(object, DT_RELASZ) / sizeof *slot;

    for (size_t i = 0; slot && symbols && i < slots; i++) {
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(slot[i].r_info)];

        if (ELF64_R_TYPE(slot[i].r_info) != R_X86_64_COPY ||
            !ft_library_owns(strings + symbol->st_name))
            continue;
        if (modules->kepts == FT_KEPT_MAX)
            ft_panic("the program uses more than %d objects of the MPI library", FT_KEPT_MAX);
        modules->kept[modules->kepts++] =
            (struct ft_kept){object->info.dlpi_addr + slot[i].r_offset, symbol->st_size};
    }
}

/* The build id note of an object, as a hash; of the program headers where there is none. */
static uint64_t object_build(const struct object *object)
{
    for (int i = 0; i < object->info.dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->info.dlpi_phdr[i];
        const char *at = (const char *)(object->info.dlpi_addr + header->p_vaddr);
        const char *end = at + header->p_memsz;

        while (header->p_type == PT_NOTE && at + sizeof(ElfW(Nhdr)) <= end) {
            const ElfW(Nhdr) *note = (const void *)at;
            const char *text = at + sizeof *note + ((note->n_namesz + 3) & ~3U);

            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4)
                return XXH3_64bits(text, note->n_descsz);
            at = text + ((note->n_descsz + 3) & ~3U);
        }
    }
    return XXH3_64bits(object->info.dlpi_phdr, object->info.dlpi_phnum * sizeof(ElfW(Phdr)));
}

static uint64_t hash_layout(const struct list *list)
{
    struct {
        uint64_t hash, name, base, build;
    } step = {0};
    uint64_t fixed[2] = {ft_os_thread_pointer(), getauxval(AT_SYSINFO_EHDR)};

    step.hash = XXH3_64bits(fixed, sizeof fixed);
    for (int i = 0; i < list->count; i++) {
        step.name = XXH3_64bits(list->object[i].name, strlen(list->object[i].name));
        step.base = list->object[i].info.dlpi_addr;
        step.build = object_build(&list->object[i]);
        step.hash = XXH3_64bits(&step, sizeof step);
    }
    return step.hash;
}

void ft_modules_find(struct ft_modules *modules)
{
    static struct list list;

    list.count = 0;
    memset(modules, 0, sizeof *modules);
    dl_iterate_phdr(list_add, &list);
    for (int i = 0; i < list.count; i++)
        if (object_holds(&list.object[i], (const void *)&ft_modules_find))
            mark_shared(&list, &list.object[i]);
    for (int i = 0; i < list.count; i++) {
        struct object *object = &list.object[i];

        if (object_holds(object, (const void *)&mi_malloc))
            object->shared = 0;
        if (!object->shared && object->dynamic != NULL)
            parts_of_object(modules, object);
        if (may_be_left(object))
            codes_of_object(modules, object);
    }
    kept_of_executable(modules, &list.object[0]);
    modules->build = object_build(&list.object[0]);
    modules->layout = hash_layout(&list);
}

const struct ft_modules *ft_modules_get(void)
{
    static struct ft_modules modules;
    static int found;

    if (!found) {
        ft_modules_find(&modules);
        found = 1;
    }
    return &modules;
}
