/* site: addr2line of binutils knows. A return address may belong to the next line already, so the
 * byte before it is asked for. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "host/proc.h"
#include "host/program.h"
#include "host/site.h"
#include "host/spawn.h"

static ssize_t ask(const char *tool, const char *program, uint64_t address, char *text, size_t size)
{
    char number[32];
    const char *argv[] = {"addr2line", "-e", program, number, NULL};
    int ends[2], null = open("/dev/null", O_RDWR | O_CLOEXEC);
    enum ft_spawn_step step;
    extern char **environ;

    if (pipe2(ends, O_CLOEXEC)) {
        close(null);
        return -1;
    }
    snprintf(number, sizeof(number), "0x%llx", (unsigned long long)address - 1);
    struct ft_spawn spawn = {.path = tool,
                             .argv = (char *const *)(uintptr_t)argv,
                             .envp = environ,
                             .fds = {null, ends[1], null, -1, -1}};
    pid_t pid = ft_spawn_start(&spawn, &step);
    close(ends[1]);
    close(null);
    ssize_t length = pid > 0 ? read(ends[0], text, size - 1) : -1;
    close(ends[0]);
    if (pid > 0)
        waitpid(pid, NULL, 0);
    return length;
}

/* 1, or 0 and nothing of use. */
static int find_line(const char *program, uint64_t address, char *text, size_t size)
{
    char *tool = ft_program_find("addr2line", "/nonexistent");
    ssize_t length = tool && address ? ask(tool, program, address, text, size) : -1;

    free(tool);
    text[length > 0 ? length : 0] = 0;
    text[strcspn(text, "\n")] = 0;
    char *note = strstr(text, " (discriminator");
    if (note)
        *note = 0;
    return *text && text[0] != '?' && !strstr(text, ":?") && !strstr(text, ":0");
}

void ft_site_name(const char *program, uint64_t address, char *text, size_t size)
{
    ft_site_name_in(0, program, address, text, size);
}

void ft_site_name_in(pid_t pid, const char *program, uint64_t address, char *text, size_t size)
{
    char library[PATH_MAX];
    uint64_t base;

    if (find_line(program, address, text, size) ||
        (pid && ft_proc_module(pid, address, library, &base) &&
         find_line(library, address - base, text, size)))
        return;
    snprintf(text, size, "address 0x%llx", (unsigned long long)address);
}
