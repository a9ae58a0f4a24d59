/* program: finding, checking, and keeping the environment as it was. */
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>
#include "host/parts.h"
#include "host/program.h"

static int is_executable(const char *path)
{
    struct stat status;

    if (stat(path, &status))
        return 0;
    if (!S_ISREG(status.st_mode) || access(path, X_OK)) {
        errno = EACCES;
        return 0;
    }
    return 1;
}

/* folder/name as an absolute path if it is executable, else NULL. */
static char *try_folder(const char *folder, size_t length, const char *cwd, const char *name)
{
    char *joined = NULL, *found = NULL;

    if (asprintf(&joined, "%s%s%.*s/%s", length && folder[0] == '/' ? "" : cwd,
                 length && folder[0] == '/' ? "" : "/", (int)length, folder, name) < 0)
        return NULL;
    if (is_executable(joined))
        found = realpath(joined, NULL);
    free(joined);
    return found;
}

static char *search_path(const char *name, const char *cwd)
{
    const char *folder = getenv("PATH");

    while (folder && *folder) {
        size_t length = strcspn(folder, ":");
        char *found = try_folder(folder, length, cwd, name);

        if (found)
            return found;
        folder += length + (folder[length] == ':');
    }
    return NULL;
}

char *ft_program_find(const char *name, const char *cwd)
{
    if (name[0] == '/')
        return is_executable(name) ? realpath(name, NULL) : NULL;
    char *found = strchr(name, '/') ? NULL : search_path(name, cwd);
    return found ? found : try_folder(".", 1, cwd, name);
}

/* Does the dynamic section name a library whose name begins so? */
static int section_needs(Elf *elf, Elf_Scn *section, const GElf_Shdr *header, const char *begin)
{
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = data && header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
    GElf_Dyn entry;

    for (size_t i = 0; i < count && gelf_getdyn(data, (int)i, &entry); i++) {
        const char *name =
            entry.d_tag == DT_NEEDED ? elf_strptr(elf, header->sh_link, entry.d_un.d_val) : NULL;

        if (name && !strncmp(name, begin, strlen(begin)))
            return 1;
    }
    return 0;
}

static int elf_needs(Elf *elf, const char *begin)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section))) {
        if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNAMIC)
            return section_needs(elf, section, &header, begin);
    }
    return 0;
}

/* *kind: what the file is. */
static int file_needs(const char *path, const char *begin, int *kind)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), needs = 0;

    elf_version(EV_CURRENT);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    *kind = elf ? elf_kind(elf) : ELF_K_NONE;
    if (*kind == ELF_K_ELF)
        needs = elf_needs(elf, begin);
    elf_end(elf);
    if (fd >= 0)
        close(fd);
    return needs;
}

int ft_program_needs(const char *path, const char *begin)
{
    int kind;

    return file_needs(path, begin, &kind);
}

int ft_program_check(const char *path, char *why, size_t size)
{
    int kind;

    if (file_needs(path, "libft.so.0", &kind))
        return 0;
    snprintf(why, size, "%s %s: build it with ftcc instead of mpicc", path,
             kind == ELF_K_ELF ? "was not linked with ftcc" : "is no program linked with ftcc");
    return -ENOEXEC;
}

static char **find_variable(char **envp, const char *name)
{
    size_t length = strlen(name);

    while (*envp && (strncmp(*envp, name, length) || (*envp)[length] != '='))
        envp++;
    return envp;
}

int ft_program_setenv(char ***envp, const char *name, const char *value)
{
    char **place = find_variable(*envp, name), *text;
    size_t count = 0;

    if (asprintf(&text, "%s=%s", name, value) < 0)
        return -ENOMEM;
    if (*place) {
        free(*place);
        *place = text;
        return 0;
    }
    while ((*envp)[count])
        count++;
    char **more = realloc(*envp, (count + 2) * sizeof(*more));
    if (!more) {
        free(text);
        return -ENOMEM;
    }
    more[count] = text;
    more[count + 1] = NULL;
    *envp = more;
    return 0;
}

const char *ft_program_getenv(char *const *envp, const char *name)
{
    const char *found = *find_variable((char **)(uintptr_t)envp, name);

    return found ? found + strlen(name) + 1 : NULL;
}

char **ft_program_copy(char *const *strings)
{
    size_t count = 0;

    while (strings[count])
        count++;
    char **copy = calloc(count + 1, sizeof(*copy));
    for (size_t i = 0; copy && i < count; i++) {
        if (!(copy[i] = strdup(strings[i])))
            return NULL;
    }
    return copy;
}

int ft_program_save_environment(char *const *envp, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    int code = 0;

    if (!file)
        return -errno;
    for (; *envp && !code; envp++)
        code = fwrite(*envp, strlen(*envp) + 1, 1, file) == 1 ? 0 : -errno;
    if (!code && (fflush(file) || fsync(fd)))
        code = -errno;
    return fclose(file) && !code ? -errno : code;
}

uint64_t ft_program_environment_checksum(char *const *envp)
{
    XXH3_state_t state;

    XXH3_INITSTATE(&state);
    XXH3_64bits_reset(&state);
    for (; *envp; envp++)
        XXH3_64bits_update(&state, *envp, strlen(*envp) + 1);
    return XXH3_64bits_digest(&state);
}

static void free_strings(char **strings)
{
    for (char **string = strings; string && *string; string++)
        free(*string);
    free(strings);
}

/* Appends to a list that ends with NULL. 0 or -ENOMEM. */
static int append_string(char ***list, size_t count, const char *string)
{
    char **more = realloc(*list, (count + 2) * sizeof(**list));

    if (!more)
        return -ENOMEM;
    *list = more;
    more[count + 1] = NULL;
    return (more[count] = strdup(string)) ? 0 : -ENOMEM;
}

/* All strings of the file, whose list is the caller's, also where it fails. 0 or -errno. */
static int read_strings(FILE *file, char ***list)
{
    char *line = NULL;
    size_t room = 0, count = 0;
    int code = 0;

    for (errno = 0; !code && getdelim(&line, &room, 0, file) > 0; errno = 0)
        code = append_string(list, count++, line);
    if (!code)
        code = -errno;
    free(line);
    return code;
}

int ft_program_load_environment(const char *path, char ***envp)
{
    FILE *file = fopen(path, "re");
    char **list = NULL;
    int code = file ? 0 : -errno;

    if (!code && !(list = calloc(1, sizeof(*list))))
        code = -ENOMEM;
    if (!code)
        code = read_strings(file, &list);
    if (file)
        fclose(file);
    if (code)
        free_strings(list);
    else
        *envp = list;
    return code;
}

void ft_program_free(struct ft_program *program)
{
    ft_parts_free(program);
    free(program->path);
    free(program->starter);
    free(program->cwd);
    free_strings(program->argv);
    free_strings(program->envp);
}
