#include "host/refused.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { SHOWN = 3 };

static const char *const refused[] = {
#define FT_REASON(reason, text)
#define FT_CALL(name, class)
#define FT_REFUSED(name, reason) #name,
#include "calls/calls.def"
#undef FT_REASON
#undef FT_CALL
#undef FT_REFUSED
};

static const char *const windows[] = {
    "MPI_Win_create",     "MPI_Win_create_c",        "MPI_Win_create_dynamic",   "MPI_Win_allocate",
    "MPI_Win_allocate_c", "MPI_Win_allocate_shared", "MPI_Win_allocate_shared_c"};

struct names {
    const char *const *name;
    size_t count;
};

/* The name that C has, too, in a name of a Fortran binding: mpi_send_, mpi_send__, mpi_send_f08_,
 * mpi_send_f08ts_. */
static size_t plain_length(const char *symbol)
{
    const char *modern = strstr(symbol, "_f08");
    size_t length = modern ? (size_t)(modern - symbol) : strlen(symbol);

    while (length && symbol[length - 1] == '_')
        length--;
    return length;
}

static const char *name_of(const struct names *names, const char *symbol)
{
    int fortran = !strncmp(symbol, "mpi_", 4);
    size_t length = fortran ? plain_length(symbol) : strlen(symbol);

    for (size_t i = 0; i < names->count; i++)
        if (strlen(names->name[i]) == length &&
            !(fortran ? strncasecmp : strncmp)(names->name[i], symbol, length))
            return names->name[i];
    return NULL;
}

static int symbols_look(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
                        const struct names *names, char *text, size_t size)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    int found = 0;
    GElf_Sym symbol;

    for (size_t i = 0; i < count && gelf_getsym(data, (int)i, &symbol); i++) {
        const char *symbol_name = elf_strptr(elf, header->sh_link, symbol.st_name);
        const char *name =
            symbol.st_shndx == SHN_UNDEF && symbol_name ? name_of(names, symbol_name) : NULL;
        size_t used = strlen(text);

        if (name && found++ < SHOWN)
            snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
    }
    return found;
}

static int find(const char *path, const struct names *names, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    *text = 0;
    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    while (elf && elf_kind(elf) == ELF_K_ELF && (section = elf_nextscn(elf, section)))
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
            found += symbols_look(elf, section, &header, names, text, size);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    if (found > SHOWN)
        snprintf(text + strlen(text), size - strlen(text), " and %d more", found - SHOWN);
    return found;
}

int ft_refused_find(const char *path, char *text, size_t size)
{
    return find(path, &(struct names){refused, sizeof(refused) / sizeof(refused[0])}, text, size);
}

int ft_windows_find(const char *path, char *text, size_t size)
{
    return find(path, &(struct names){windows, sizeof(windows) / sizeof(windows[0])}, text, size);
}
