/* exec: executes a program in place of the rank, as programs do that want another limit of the
 * stack; or in children, which may. All of it before MPI_Init, and once more behind it.
 *
 * arguments: the call | children; [late]: the call after MPI_Init
 *
 * ranks: 2
 * hooks: none
 * test: children
 */
#include <spawn.h>
#include <sys/wait.h>
#include "program.h"

static char *words[] = {(char *)"/bin/true", NULL};

static void execute(const char *call)
{
    if (!strcmp(call, "execv"))
        execv(words[0], words);
    if (!strcmp(call, "execve"))
        execve(words[0], words, environ);
    if (!strcmp(call, "execvp"))
        execvp("true", words);
    if (!strcmp(call, "execvpe"))
        execvpe("true", words, environ);
    if (!strcmp(call, "execl"))
        execl(words[0], words[0], (char *)NULL);
    if (!strcmp(call, "execle"))
        execle(words[0], words[0], (char *)NULL, environ);
    if (!strcmp(call, "execlp"))
        execlp("true", words[0], (char *)NULL);
    if (!strcmp(call, "fexecve"))
        fexecve(open(words[0], O_RDONLY | O_CLOEXEC), words, environ);
    if (!strcmp(call, "execveat"))
        execveat(AT_FDCWD, words[0], words, environ, 0);
    check(!strcmp(call, "children"), call, 0);
}

static int code_of(pid_t child)
{
    int status = 0;

    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
               ? WEXITSTATUS(status)
               : -1;
}

static void forked_run(const char *call)
{
    pid_t child = fork();

    if (child == 0) {
        execute(call);
        _exit(99);
    }
    check(code_of(child) == 0, call, 1);
}

static void vforked_run(void)
{
    char *const environment[] = {(char *)"A=7", NULL};
    pid_t child = vfork();

    if (child == 0) {
        execle("/bin/sh", "sh", "-c", "exit $(($A + $1))", "sh", "4", (char *)NULL, environment);
        _exit(99);
    }
    check(code_of(child) == 11, "vfork", 2);
}

static void children_run(void)
{
    static const char *const calls[] = {"execv",  "execve", "execvp",  "execvpe", "execl",
                                        "execle", "execlp", "fexecve", "execveat"};
    char line[16] = "";
    FILE *stream;
    pid_t child;

    fflush(NULL);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        forked_run(calls[i]);
    vforked_run();
    check(posix_spawn(&child, words[0], NULL, NULL, words, environ) == 0 && code_of(child) == 0,
          "posix_spawn", 3);
    check(WEXITSTATUS(system("exit 5")) == 5, "system", 4);
    stream = popen("echo word", "r");
    check(stream != NULL && fgets(line, sizeof line, stream) != NULL && !strcmp(line, "word\n") &&
              pclose(stream) == 0,
          "popen", 5);
}

int main(int argc, char **argv)
{
    const char *call = argc > 1 ? argv[1] : "children";

    if (argc == 2)
        execute(call);
    if (!strcmp(call, "children"))
        children_run();
    program_start(&argc, &argv);
    execute(call);
    if (!strcmp(call, "children"))
        children_run();
    return program_end("exec", 1);
}
