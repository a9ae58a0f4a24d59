/* Idea: mpicc is asked once where the user's arguments would stand, and then left out: it is a
 * script that forks for each argument. Questions that only mpicc can answer (-show, -v, -help)
 * go to it. */
#include "ftcc/toolchain.h"
#include "ftcc/link.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

extern char **environ;

static const char place_holder[] = "__ftcc_arguments__";
static const char guard[] = "FTCC_ASKS_MPICC"; /* set for mpicc, so that ftcc is not called by it */

static volatile sig_atomic_t child;    /* the running command, or 0 */
static volatile sig_atomic_t received; /* a signal that asked ftcc to end, or 0 */

void cc_command_add(UT_array *command, const char *format, ...)
{
    va_list arguments;
    char *word = NULL;
    va_start(arguments, format);
    if (vasprintf(&word, format, arguments) < 0)
        abort();
    va_end(arguments);
    utarray_push_back(command, &word);
    free(word);
}

/* The command as execvp takes it; the caller frees the array, not the strings. */
static char **argv_of(UT_array *command)
{
    size_t count = utarray_len(command);
    char **argv = calloc(count + 1, sizeof *argv);
    for (size_t i = 0; i < count; i++)
        argv[i] = *(char **)utarray_eltptr(command, i);
    return argv;
}

static void pass_on(int signal_number)
{
    received = signal_number;
    if (child > 0)
        kill((pid_t)child, signal_number);
}

int cc_toolchain_signal(void)
{
    return received;
}

static void signals_watch(void)
{
    struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

/* Everything that comes out of `descriptor`, which is closed. */
static struct rw_text pipe_read(int descriptor)
{
    struct rw_text text = {NULL, 0};
    FILE *out = open_memstream(&text.text, &text.length);
    char buffer[4096];
    ssize_t count;
    while ((count = read(descriptor, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR))
        if (count > 0)
            fwrite(buffer, 1, (size_t)count, out);
    fclose(out);
    close(descriptor);
    return text;
}

static int status_await(pid_t pid)
{
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return 127 << 8;
    return status;
}

static int exit_code(pid_t pid)
{
    int status = status_await(pid);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int cc_toolchain_await(pid_t pid)
{
    child = pid;
    signals_watch();
    if (received)
        kill(pid, received);
    int status = status_await(pid);
    child = 0;
    return status;
}

/* Starts `command` with its `stream` (1 or 2) going to `target`, or unchanged when that is -1. */
static int command_start(UT_array *command, int stream, int target, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    if (target >= 0)
        posix_spawn_file_actions_adddup2(&actions, target, stream);
    char **argv = argv_of(command);
    int error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    if (error)
        fprintf(stderr, "ftcc: cannot start %s: %s\n", argv[0], strerror(error));
    free(argv);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Runs a command and reads what it writes to `stream`. */
static int command_read(UT_array *command, int stream, struct rw_text *output)
{
    int ends[2];
    pid_t pid;
    *output = (struct rw_text){NULL, 0};
    if (pipe2(ends, O_CLOEXEC) < 0)
        return 127;
    int error = command_start(command, stream, ends[1], &pid);
    close(ends[1]);
    child = error ? 0 : pid;
    *output = pipe_read(ends[0]);
    int code = error ? 127 : exit_code(pid);
    child = 0;
    return code;
}

int cc_toolchain_read(UT_array *command, struct rw_text *output)
{
    return command_read(command, STDOUT_FILENO, output);
}

int cc_toolchain_run(UT_array *command, enum cc_messages mode, struct rw_text *messages)
{
    signals_watch();
    if (mode == CC_MESSAGES_KEEP)
        return command_read(command, STDERR_FILENO, messages);
    int nowhere = mode == CC_MESSAGES_DROP ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    pid_t pid;
    int error = command_start(command, STDERR_FILENO, nowhere, &pid);
    if (nowhere >= 0)
        close(nowhere);
    child = error ? 0 : pid;
    int code = error ? 127 : exit_code(pid);
    child = 0;
    return code;
}

int cc_toolchain_become(UT_array *command)
{
    char **argv = argv_of(command);
    fflush(stdout);
    execvp(argv[0], argv);
    fprintf(stderr, "ftcc: cannot start %s: %s\n", argv[0], strerror(errno));
    free(argv);
    return 127;
}

/* The wrappers of MPI's that ftcc stands in for, and how the user names others. */
static const struct {
    const char *variable, *program;
} wrappers[] = {[CC_MPICC_DRIVER] = {"FT_MPICC", FT_DEFAULT_MPICC},
                [CC_MPICXX_DRIVER] = {"FT_MPICXX", FT_DEFAULT_MPICXX},
                [CC_MPIFORT_DRIVER] = {"FT_MPIFORT", FT_DEFAULT_MPIFORT}};

static const char *mpicc_variable(const struct cc_options *options)
{
    return wrappers[options->driver].variable;
}

static const char *mpicc_name(const struct cc_options *options)
{
    const char *name = getenv(mpicc_variable(options));
    return name && *name ? name : wrappers[options->driver].program;
}

static void question_make(const struct cc_options *options, UT_array *command)
{
    cc_command_add(command, "%s", mpicc_name(options));
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));)
        if (word->kind == CC_MPICC)
            cc_command_add(command, "%s", word->text);
    cc_command_add(command, "-show");
    if (options->step != CC_LINK)
        cc_command_add(command, "-c");
    cc_command_add(command, "%s", place_holder);
}

/* Splits the last line of mpicc's answer at the place holder. */
static bool answer_split(struct rw_text *answer, struct cc_toolchain *toolchain)
{
    wordexp_t words;
    while (answer->length > 0 && answer->text[answer->length - 1] == '\n')
        answer->text[--answer->length] = '\0';
    char *line = answer->length ? strrchr(answer->text, '\n') : NULL;
    if (wordexp(line ? line + 1 : answer->text, &words, WRDE_NOCMD) != 0)
        return false;
    UT_array *side = &toolchain->before;
    for (size_t i = 0; i < words.we_wordc; i++) {
        bool holder = strcmp(words.we_wordv[i], place_holder) == 0;
        bool next = i + 1 < words.we_wordc && strcmp(words.we_wordv[i + 1], place_holder) == 0;
        if (holder)
            side = &toolchain->behind;
        else if (!next || strcmp(words.we_wordv[i], "-c") != 0)
            cc_command_add(side, "%s", words.we_wordv[i]);
    }
    wordfree(&words);
    return side == &toolchain->behind && utarray_len(&toolchain->before) > 0;
}

/* A word of mpicc's answer by which it is another library's than that of libft.so, or NULL. */
static const char *word_of_other(UT_array *words)
{
    bool open_mpi = strcmp(FT_MPI, "openmpi") == 0;
    for (char **word = NULL; (word = utarray_next(words, word));)
        if (open_mpi ? strcmp(*word, "-lmpich") == 0 : strstr(*word, "/openmpi") != NULL)
            return *word;
    return NULL;
}

/* Programs of one library would start with the other, and end at their first call. */
static bool is_own_library(const struct cc_options *options, struct cc_toolchain *toolchain)
{
    const char *word = word_of_other(&toolchain->before);
    if (!word)
        word = word_of_other(&toolchain->behind);
    if (word)
        fprintf(
            stderr,
            "ftcc: error: `%s -show` names another library (%s), and this ftcc is built for " FT_MPI
            ": set %s to the mpicc of that one\n",
            mpicc_name(options), word, mpicc_variable(options));
    return !word;
}

static bool mpicc_ask(const struct cc_options *options, struct cc_toolchain *toolchain)
{
    UT_array command;
    struct rw_text answer;
    utarray_init(&command, &ut_str_icd);
    question_make(options, &command);
    int code = command_read(&command, STDOUT_FILENO, &answer);
    bool good = code == 0 && answer_split(&answer, toolchain);
    if (!good && code != 127)
        fprintf(stderr, "ftcc: error: `%s -show` does not name a compiler; set %s\n",
                mpicc_name(options), mpicc_variable(options));
    free(answer.text);
    utarray_done(&command);
    return good && is_own_library(options, toolchain);
}

void cc_toolchain_program(struct cc_toolchain *toolchain, const char *name, UT_array *command)
{
    UT_array question;
    struct rw_text answer;
    utarray_init(&question, &ut_str_icd);
    cc_command_add(&question, "%s", *(char **)utarray_front(&toolchain->before));
    cc_command_add(&question, "-print-prog-name=%s", name);
    bool good = command_read(&question, STDOUT_FILENO, &answer) == 0 && answer.length > 1;
    if (good)
        cc_command_add(command, "%.*s", (int)strcspn(answer.text, "\n"), answer.text);
    else
        cc_command_add(command, "%s", name);
    free(answer.text);
    utarray_done(&question);
}

/* omp.h belongs to the compiler and not to the system, and clang's need not be installed. gcc's has
 * an attribute that clang does not know in this form. */
static void openmp_flags_add(struct cc_toolchain *toolchain)
{
    UT_array command;
    struct rw_text folder;
    utarray_init(&command, &ut_str_icd);
    cc_command_add(&command, "%s", *(char **)utarray_front(&toolchain->before));
    cc_command_add(&command, "-print-file-name=include");
    if (command_read(&command, STDOUT_FILENO, &folder) == 0) {
        cc_command_add(&toolchain->flags, "-D__malloc__(x)=__unused__");
        cc_command_add(&toolchain->flags, "-idirafter");
        cc_command_add(&toolchain->flags, "%.*s", (int)strcspn(folder.text, "\n"), folder.text);
    }
    free(folder.text);
    utarray_done(&command);
}

/* Adds the flags that only the parser needs: the folder of ft.h, and that of omp.h. */
static void flags_add(const struct cc_options *options, struct cc_toolchain *toolchain)
{
    utarray_concat(&toolchain->flags, &toolchain->behind);
    cc_link_headers(&toolchain->flags);
    if ((options->openmp || options->database) && utarray_len(&toolchain->before) > 0)
        openmp_flags_add(toolchain);
}

/* mpicc itself as the compiler: nothing of what it adds stands in the command. */
static void mpicc_take(const struct cc_options *options, struct cc_toolchain *toolchain)
{
    utarray_clear(&toolchain->before);
    utarray_clear(&toolchain->behind);
    cc_command_add(&toolchain->before, "%s", mpicc_name(options));
    for (struct cc_word *word = NULL; (word = cc_options_next(options, word));)
        if (word->kind == CC_MPICC)
            cc_command_add(&toolchain->before, "%s", word->text);
}

bool cc_toolchain_find(const struct cc_options *options, struct cc_toolchain *toolchain)
{
    bool found = true;
    utarray_init(&toolchain->before, &ut_str_icd);
    utarray_init(&toolchain->behind, &ut_str_icd);
    utarray_init(&toolchain->flags, &ut_str_icd);
    if (getenv(guard)) {
        fprintf(stderr, "ftcc: error: %s is ftcc itself; set %s to the real one\n",
                mpicc_name(options), mpicc_variable(options));
        return false;
    }
    setenv(guard, "1", 1);
    bool parses = options->sources > 0 || options->analyze;
    if (!options->ask_mpicc || parses)
        found = mpicc_ask(options, toolchain);
    if (options->driver == CC_MPICXX_DRIVER && strcmp(FT_MPI, "openmpi") == 0)
        cc_command_add(&toolchain->behind,
                       "-DOMPI_SKIP_MPICXX"); /* MPI:: is refused, and nobody else needs it */
    if (parses)
        flags_add(options, toolchain);
    if (options->ask_mpicc)
        mpicc_take(options, toolchain);
    else
        unsetenv(guard);
    return found;
}

void cc_toolchain_release(struct cc_toolchain *toolchain)
{
    utarray_done(&toolchain->before);
    utarray_done(&toolchain->behind);
    utarray_done(&toolchain->flags);
}
