/* Idea: a program calls a function of a library by a stub of the procedure linkage table, which
 * jumps through a slot of the global offset table; the relocation of the slot names the function.
 * So the code is searched for jumps and calls (e8, e9 with a distance; ff 15, ff 25 with a slot)
 * whose target is such a stub or slot. Other bytes that look like one have to hit an address
 * exactly, which does not happen. addr2line of the compiler knows the lines. */
#include "ftcc/callers.h"

#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "calls/calls.h"

/* A slot, or a stub that jumps through one. */
struct target {
    uint64_t address;
    uint32_t call;
    bool fortran;
    UT_hash_handle hh;
};

struct search {
    struct target *targets;
    UT_array *callers;
    const char *path;
};

/* ---- Names ---- */

/* The call, or FT_CALL_NONE when nothing is to be said of it: C's calls that are carried stand in
 * the report already. */
static uint32_t call_of(const char *symbol, bool *fortran)
{
    int binding;
    uint32_t call = ft_call_of_symbol(symbol, &binding);
    *fortran = binding;
    return binding || ft_call_refusal(call) ? call : FT_CALL_NONE;
}

bool cc_caller_is_open(const struct cc_caller *caller)
{
    static const char *const open[] = {"MPI_Recv",
                                       "MPI_Irecv",
                                       "MPI_Recv_init",
                                       "MPI_Sendrecv",
                                       "MPI_Sendrecv_replace",
                                       "MPI_Probe",
                                       "MPI_Iprobe",
                                       "MPI_Mprobe",
                                       "MPI_Improbe",
                                       "MPI_Waitany",
                                       "MPI_Waitsome",
                                       "MPI_Test",
                                       "MPI_Testall",
                                       "MPI_Testany",
                                       "MPI_Testsome",
                                       "MPI_Isendrecv",
                                       "MPI_Request_get_status"};
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        if (strcmp(caller->name, open[i]) == 0)
            return true;
    return false;
}

/* ---- Targets ---- */

static const struct target *target_at(const struct search *search, uint64_t address)
{
    struct target *target;
    HASH_FIND(hh, search->targets, &address, sizeof address, target);
    return target;
}

static void target_add(struct search *search, uint64_t address, uint32_t call, bool fortran)
{
    if (target_at(search, address))
        return;
    struct target *target = calloc(1, sizeof *target);
    if (!target)
        abort();
    *target = (struct target){.address = address, .call = call, .fortran = fortran};
    HASH_ADD(hh, search->targets, address, sizeof target->address, target);
}

static void slots_find(struct search *search, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
    GElf_Shdr names;
    Elf_Scn *table = elf_getscn(elf, header->sh_link);
    Elf_Data *data = elf_getdata(section, NULL), *symbols = table ? elf_getdata(table, NULL) : NULL;
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    if (!symbols || !gelf_getshdr(table, &names))
        return;
    for (size_t i = 0; i < count; i++) {
        GElf_Rela slot;
        GElf_Sym symbol;
        bool fortran;
        if (!gelf_getrela(data, (int)i, &slot) ||
            !gelf_getsym(symbols, (int)GELF_R_SYM(slot.r_info), &symbol))
            continue;
        const char *name = elf_strptr(elf, names.sh_link, symbol.st_name);
        uint32_t call = name ? call_of(name, &fortran) : FT_CALL_NONE;
        if (call != FT_CALL_NONE)
            target_add(search, slot.r_offset, call, fortran);
    }
}

/* ---- Code ---- */

static int32_t distance_at(const uint8_t *bytes)
{
    int32_t distance;
    memcpy(&distance, bytes, sizeof distance);
    return distance;
}

/* The target of the instruction at bytes[i], or NULL. */
static const struct target *instruction_target(const struct search *search, const uint8_t *bytes,
                                               size_t i, uint64_t address)
{
    if (bytes[i] == 0xe8 || bytes[i] == 0xe9)
        return target_at(search, address + 5 + (uint64_t)(int64_t)distance_at(bytes + i + 1));
    if (bytes[i] == 0xff && (bytes[i + 1] == 0x15 || bytes[i + 1] == 0x25))
        return target_at(search, address + 6 + (uint64_t)(int64_t)distance_at(bytes + i + 2));
    return NULL;
}

static void call_add(struct search *search, const struct target *target, uint64_t address)
{
    struct cc_caller caller = {.name = ft_call_name(target->call),
                               .refused = ft_call_refusal(target->call),
                               .fortran = target->fortran,
                               .address = address};
    utarray_push_back(search->callers, &caller);
}

/* Stubs are 16 bytes apart, and jump in one of them. */
static void code_search(struct search *search, Elf_Scn *section, const GElf_Shdr *header,
                        bool stubs)
{
    enum { STUB = 16, LONGEST = 6 };
    Elf_Data *data = elf_getdata(section, NULL);
    const uint8_t *bytes = data ? data->d_buf : NULL;
    for (size_t i = 0; bytes && i + LONGEST <= data->d_size; i++) {
        const struct target *target = instruction_target(search, bytes, i, header->sh_addr + i);
        if (target && stubs)
            target_add(search, (header->sh_addr + i) & ~(uint64_t)(STUB - 1), target->call,
                       target->fortran);
        else if (target)
            call_add(search, target, header->sh_addr + i);
    }
}

enum pass { SLOTS, STUBS, CALLS, PASSES };

static void section_search(struct search *search, Elf *elf, Elf_Scn *section, size_t names,
                           enum pass pass)
{
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header))
        return;
    const char *name = elf_strptr(elf, names, header.sh_name);
    bool code = header.sh_type == SHT_PROGBITS && header.sh_flags & SHF_EXECINSTR;
    bool stubs = name && strncmp(name, ".plt", 4) == 0;
    if (pass == SLOTS && header.sh_type == SHT_RELA)
        slots_find(search, elf, section, &header);
    if (pass == STUBS && code && stubs)
        code_search(search, section, &header, true);
    if (pass == CALLS && code && !stubs)
        code_search(search, section, &header, false);
}

static void elf_search(struct search *search, Elf *elf)
{
    size_t names = 0;
    if (elf_kind(elf) != ELF_K_ELF || elf_getshdrstrndx(elf, &names) != 0)
        return;
    for (enum pass pass = SLOTS; pass < PASSES && (pass == SLOTS || search->targets); pass++)
        for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));)
            section_search(search, elf, section, names, pass);
}

/* ---- Lines ---- */

static void place_take(struct cc_caller *caller, const char *line, size_t length)
{
    const char *colon = memrchr(line, ':', length);
    bool known = colon && strncmp(line, "??", 2) != 0;
    caller->file = known ? strndup(line, (size_t)(colon - line)) : strdup("");
    caller->line = known ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

/* addr2line answers with a line for each address. */
static void places_find(const struct search *search, struct cc_toolchain *toolchain)
{
    UT_array command;
    struct rw_text answer = {NULL, 0};
    struct cc_caller *caller = NULL;
    utarray_init(&command, &ut_str_icd);
    cc_toolchain_program(toolchain, "addr2line", &command);
    cc_command_add(&command, "-e");
    cc_command_add(&command, "%s", search->path);
    while ((caller = utarray_next(search->callers, caller)))
        cc_command_add(&command, "0x%llx", (unsigned long long)caller->address);
    cc_toolchain_read(&command, &answer);
    const char *line = answer.text ? answer.text : "";
    while ((caller = utarray_next(search->callers, caller))) {
        size_t length = strcspn(line, "\n");
        place_take(caller, line, length);
        line += length + (line[length] != 0);
    }
    free(answer.text);
    utarray_done(&command);
}

static void caller_release(void *element)
{
    free(((struct cc_caller *)element)->file);
}

static const UT_icd caller_icd = {sizeof(struct cc_caller), NULL, NULL, caller_release};

void cc_callers_find(struct cc_toolchain *toolchain, const char *path, UT_array *callers)
{
    struct search search = {NULL, callers, path};
    struct target *target, *later;
    utarray_init(callers, &caller_icd);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = file >= 0 && elf_version(EV_CURRENT) != EV_NONE
                   ? elf_begin(file, ELF_C_READ_MMAP, NULL)
                   : NULL;
    if (elf)
        elf_search(&search, elf);
    elf_end(elf);
    if (file >= 0)
        close(file);
    if (utarray_len(callers))
        places_find(&search, toolchain);
    HASH_ITER (hh, search.targets, target, later) {
        HASH_DEL(search.targets, target);
        free(target);
    }
}
