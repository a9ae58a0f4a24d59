/* Idea: one walk over the sections of each ELF file; an archive is a row of ELF files,
 * and a thin one names them. The bytes of
 * a file are anybody's: what libelf cannot make sense of is left out. */
#include "ftcc/binary.h"
#include "analysis/tree/store.h"
#include "runtime/shared/sites/format.h"
#include "ftcc/layer.h"
#include "ftcc/thin.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct reading {
    struct cc_binary *binary;
    FILE *facts, *names;
};

static bool begins(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static void local_read(struct reading *reading, const GElf_Sym *symbol, const char *name)
{
    if (GELF_ST_TYPE(symbol->st_info) == STT_FILE && name && *name)
        fwrite(name, 1, strlen(name) + 1, reading->names);
}

static void global_read(struct reading *reading, const GElf_Sym *symbol, const char *name)
{
    bool defined = symbol->st_shndx != SHN_UNDEF;
    if (!name || reading->binary->layer || (defined && GELF_ST_TYPE(symbol->st_info) != STT_FUNC) ||
        !cc_layer_has_part(name, defined))
        return;
    reading->binary->layer = strdup(name);
}

/* Names of files are local symbols, which come first: `sh_info` of them. */
static void symbols_read(struct reading *reading, Elf *elf, Elf_Scn *section,
                         const GElf_Shdr *header)
{
    Elf_Data *data = elf_getdata(section, NULL);
    if (!data || header->sh_entsize == 0)
        return;
    size_t count = data->d_size / header->sh_entsize;
    for (size_t i = 0; i < count; i++) {
        GElf_Sym symbol;
        if (gelf_getsym(data, (int)i, &symbol))
            (i < header->sh_info ? local_read : global_read)(
                reading, &symbol, elf_strptr(elf, header->sh_link, symbol.st_name));
    }
}

static void section_read(struct reading *reading, Elf *elf, Elf_Scn *section, size_t names)
{
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header))
        return;
    const char *name = elf_strptr(elf, names, header.sh_name);
    if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) {
        symbols_read(reading, elf, section, &header);
    } else if (name && begins(name, ".gnu.lto_")) {
        reading->binary->lto = true;
    } else if (name && strcmp(name, FT_SITES_SECTION) == 0) {
        reading->binary->sites = true;
    } else if (name && strcmp(name, AN_FACTS_SECTION) == 0 && header.sh_type != SHT_NOBITS) {
        Elf_Data *data = elf_rawdata(section, NULL);
        if (data && data->d_buf)
            fwrite(data->d_buf, 1, data->d_size, reading->facts);
    }
}

/* A position-independent executable is told from a shared library by its interpreter. */
static enum cc_binary_kind kind_of(Elf *elf, const GElf_Ehdr *header)
{
    size_t count = 0;
    if (header->e_type == ET_REL)
        return CC_RELOCATABLE;
    if (header->e_type == ET_EXEC)
        return CC_EXECUTABLE;
    if (header->e_type != ET_DYN || elf_getphdrnum(elf, &count) != 0)
        return CC_NO_BINARY;
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_INTERP)
            return CC_EXECUTABLE;
    }
    return CC_LIBRARY;
}

static void elf_read(struct reading *reading, Elf *elf)
{
    GElf_Ehdr header;
    size_t names = 0;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header))
        return;
    if (reading->binary->kind == CC_NO_BINARY)
        reading->binary->kind = kind_of(elf, &header);
    if (elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
        section_read(reading, elf, section, names);
}

static void archive_read(struct reading *reading, int file, Elf *archive)
{
    Elf_Cmd command = ELF_C_READ;
    Elf *member;
    reading->binary->kind = CC_ARCHIVE;
    while (command != ELF_C_NULL && (member = elf_begin(file, command, archive))) {
        elf_read(reading, member);
        command = elf_next(member);
        elf_end(member);
    }
}

static void file_read(struct reading *reading, int file)
{
    Elf *elf = elf_begin(file, ELF_C_READ, NULL);
    if (!elf)
        return;
    if (elf_kind(elf) == ELF_K_AR)
        archive_read(reading, file, elf);
    else
        elf_read(reading, elf);
    elf_end(elf);
}

static int regular_open(const char *path)
{
    struct stat status;
    bool regular = stat(path, &status) == 0 && S_ISREG(status.st_mode);
    return regular ? open(path, O_RDONLY | O_CLOEXEC) : -1;
}

static void thin_read(struct reading *reading, const char *path)
{
    UT_array members;
    utarray_init(&members, &ut_str_icd);
    if (cc_thin_read(path, &members))
        reading->binary->kind = CC_ARCHIVE;
    for (char **member = NULL; (member = utarray_next(&members, member));) {
        int file = regular_open(*member);
        if (file >= 0) {
            file_read(reading, file);
            close(file);
        }
    }
    utarray_done(&members);
}

void cc_binary_read(const char *path, struct cc_binary *binary)
{
    *binary = (struct cc_binary){.kind = CC_NO_BINARY};
    struct reading reading = {binary, open_memstream(&binary->facts.text, &binary->facts.length),
                              open_memstream(&binary->names.text, &binary->names.length)};
    int file = regular_open(path);
    if (file >= 0 && elf_version(EV_CURRENT) != EV_NONE)
        file_read(&reading, file);
    if (file >= 0 && binary->kind == CC_NO_BINARY)
        thin_read(&reading, path);
    if (file >= 0)
        close(file);
    fclose(reading.facts);
    fclose(reading.names);
}

void cc_binary_release(struct cc_binary *binary)
{
    free(binary->facts.text);
    free(binary->names.text);
    free(binary->layer);
}
