#include "host/refused.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "calls/calls.h"

enum { SHOWN = 3 };

static int is_refused(uint32_t call)
{
    return ft_call_refusal(call) != NULL;
}

static int makes_window(uint32_t call)
{
    switch (call) {
    case FT_CALL_MPI_Win_create:
    case FT_CALL_MPI_Win_create_c:
    case FT_CALL_MPI_Win_create_dynamic:
    case FT_CALL_MPI_Win_allocate:
    case FT_CALL_MPI_Win_allocate_c:
    case FT_CALL_MPI_Win_allocate_shared:
    case FT_CALL_MPI_Win_allocate_shared_c:
        return 1;
    default:
        return 0;
    }
}

static int symbols_look(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                        int (*is_wanted)(uint32_t call), char *text, size_t size)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    int found = 0;
    GElf_Sym symbol;

    for (size_t i = 0; i < count && gelf_getsym(data, (int)i, &symbol); i++) {
        const char *symbol_name = elf_strptr(elf, header->sh_link, symbol.st_name);
        int fortran;
        uint32_t call = symbol.st_shndx == SHN_UNDEF && symbol_name
                            ? ft_call_of_symbol(symbol_name, &fortran)
                            : FT_CALL_NONE;
        size_t used = strlen(text);

        if (call != FT_CALL_NONE && is_wanted(call) && found++ < SHOWN)
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", ft_call_name(call));
    }
    return found;
}

static int find(const char *path, int (*is_wanted)(uint32_t call), char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    *text = 0;
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    while (elf && elf_kind(elf) == ELF_K_ELF && (section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            found += symbols_look(elf, section, &header, is_wanted, text, size);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    if (found > SHOWN)
        snprintf(text + strlen(text), size - strlen(text), " and %d more", found - SHOWN);
    return found;
}

int ft_refused_find(const char *path, char *text, size_t size)
{
    return find(path, is_refused, text, size);
}

int ft_windows_find(const char *path, char *text, size_t size)
{
    return find(path, makes_window, text, size);
}
