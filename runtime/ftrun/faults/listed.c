/* The points that a program has: FT_FAULT puts "NAME\tFILE:LINE\0" into a section of the
 * executable. */
#include "faults/faults.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "points/points.h"

static Elf_Data *find_section(Elf *elf)
{
    size_t names;

    if (elf_getshdrstrndx(elf, &names))
        return NULL;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

        if (name && !strcmp(name, ".ftcc.faults"))
            return elf_getdata(section, NULL);
    }
    return NULL;
}

static int compare(const void *one, const void *other)
{
    const struct ft_fault_point *a = one, *b = other;
    int order = strcmp(a->name, b->name);

    return order ? order : strcmp(a->place, b->place);
}

/* 0 or -ENOMEM. */
static int add(struct ft_fault_point **points, size_t *count, const char *text, size_t length)
{
    struct ft_fault_point *more = realloc(*points, (*count + 1) * sizeof(*more));
    char *copy = more ? strndup(text, length) : NULL;

    if (more)
        *points = more;
    if (!copy)
        return -ENOMEM;
    char *tab = strchr(copy, '\t');
    if (tab)
        *tab = 0;
    more[(*count)++] = (struct ft_fault_point){copy, tab ? tab + 1 : copy + length};
    return 0;
}

static int take_section(const Elf_Data *data, struct ft_fault_point **points, size_t *count)
{
    const char *text = data->d_buf, *end = text + data->d_size;
    int code = 0;

    while (!code && text < end) {
        size_t length = strnlen(text, (size_t)(end - text));

        if (length > 0)
            code = add(points, count, text, length);
        text += length + 1;
    }
    return code;
}

int ft_faults_list(const char *path, struct ft_fault_point **points, size_t *count)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC), code = 0;

    *points = NULL;
    *count = 0;
    if (fd < 0)
        return -errno;
    elf_version(EV_CURRENT);
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    const Elf_Data *data = elf ? find_section(elf) : NULL;
    if (!elf || elf_kind(elf) != ELF_K_ELF)
        code = -ENOEXEC;
    else if (data && data->d_buf)
        code = take_section(data, points, count);
    elf_end(elf);
    close(fd);
    if (*count > 0)
        qsort(*points, *count, sizeof(**points), compare);
    return code;
}

void ft_faults_unlist(struct ft_fault_point *points, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(points[i].name);
    free(points);
}

int ft_faults_print(const char *program)
{
    static const char *const who[] = {"rank", "writer", "ftrun"};
    struct ft_fault_point *points = NULL;
    size_t count = 0;
    int code = program ? ft_faults_list(program, &points, &count) : 0;

    if (code) {
        fprintf(stderr, "ftrun: %s: %s\n", program, strerror(-code));
        return 127;
    }
    puts("Points of the runtime (name, process, field that selects a pass):");
    for (int i = 0; i < FT_POINTS; i++)
        printf("  %-21s %-7s %-7s %s\n", ft_points[i].name, who[ft_points[i].process],
               ft_points[i].argument, ft_points[i].sentence);
    if (program)
        printf("Points of %s:%s\n", program, count ? "" : " none; see FT_FAULT in ft_faults(5)");
    for (size_t i = 0; i < count; i++)
        printf("  %-21s %s\n", points[i].name, points[i].place);
    ft_faults_unlist(points, count);
    return fflush(stdout) ? 1 : 0;
}
