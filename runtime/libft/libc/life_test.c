/* Families of libc across lives: a program runs natively, and once more dying at each of its
 * checkpoints; both must print the same. Without ftrun: every life is this executable again. */
#include <aio.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <search.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "files/undo.h"
#include "libc/life_stub.h"

extern char __data_start[], _end[];

enum { ROUNDS = 5, DEATHS = 3 * ROUNDS, LIVES = 40 };

static char image_path[256], undo_path[256]; /* set again in each life, before the image comes */
static uint32_t checkpoints;

static void checkpoint(void)
{
    life_checkpoint(checkpoints++, image_path, __data_start, _end);
}

/* Everything is used twice before and twice after the first checkpoint, and so on. */
static FILE *plain, *update, *nameless, *memory, *cookie, *wide, *reader;
static char *memory_text;
static size_t memory_length;
static jmp_buf jump;
static sigjmp_buf signal_jump;
static volatile int signals_seen, jumps;
static pthread_key_t key;
static struct tm *calendar;
static int raw;

static ssize_t cookie_write(void *where, const char *bytes, size_t length)
{
    char **at = where;

    memcpy(*at, bytes, length);
    *at += length;
    **at = 0;
    return (ssize_t)length;
}

static char cookie_text[4096], *cookie_at = cookie_text;

static void on_signal(int number)
{
    (void)number;
    signals_seen++;
}

static void on_exit_plain(void)
{
    printf("atexit %d\n", jumps);
}

static void on_exit_second(void)
{
    printf("atexit first\n");
}

static void on_exit_status(int status, void *argument)
{
    printf("on_exit %d %s\n", status, (char *)argument);
}

static void streams_open(void)
{
    plain = fopen("plain.txt", "w");
    update = fopen("update.txt", "w+");
    nameless = tmpfile();
    memory = open_memstream(&memory_text, &memory_length);
    cookie = fopencookie(&cookie_at, "w", (cookie_io_functions_t){.write = cookie_write});
    wide = fopen("wide.txt", "w+");
    fprintf(update, "0123456789012345678901234567890123456789");
    reader = fopen("plain.txt", "r");
    raw = open("raw.txt", O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static void streams_use(int round)
{
    char text[64] = "";
    wchar_t wide_text[16] = L"";

    fprintf(plain, "line %d\n", round);
    if (round % 2)
        fflush(plain);
    if (fgets(text, sizeof text, reader) != NULL)
        printf("read back: %s", text);
    fseek(update, round * 2, SEEK_SET);
    fprintf(update, "ab");
    fprintf(nameless, "%d;", round);
    fprintf(memory, "<%d>", round);
    fprintf(cookie, "c%d ", round);
    fwprintf(wide, L"\x40%d ", round);
    rewind(nameless);
    while (fgets(text, sizeof text, nameless) != NULL)
        printf("nameless: %s\n", text);
    rewind(wide);
    fgetws(wide_text, 16, wide);
    fseek(wide, 0, SEEK_END);
    printf("wide: %ls\n", wide_text);
    if (dprintf(raw, "%d,", round) < 0)
        printf("raw failed\n");
    printf("offset %ld, no newline ", (long)lseek(raw, 0, SEEK_CUR));
}

static void streams_show(void)
{
    char text[128] = "";

    fflush(memory);
    fflush(cookie);
    printf("memory %s cookie %s\n", memory_text, cookie_text);
    rewind(update);
    if (fgets(text, sizeof text, update) != NULL)
        printf("update %s\n", text);
    if (pread(raw, text, sizeof text - 1, 0) > 0)
        printf("raw %s\n", text);
}

static void numbers_use(void)
{
    unsigned short x[3] = {1, 2, 3};
    int a = rand(), b = (int)random(), c = (int)lrand48(), d = (int)mrand48();

    printf("random %d %d %d %d %.6f %.6f\n", a, b, c, d, drand48(), erand48(x));
}

static void statics_use(int round)
{
    static char words[] = "one two three four five six seven";
    const char *word = strtok(round == 0 ? words : NULL, " ");
    const ENTRY *found;
    char name[16];

    printf("word %s\n", word ? word : "none");
    snprintf(name, sizeof name, "k%d", round);
    hsearch((ENTRY){strdup(name), (void *)(intptr_t)round}, ENTER);
    found = hsearch((ENTRY){.key = (char *)(intptr_t) "k0"}, FIND);
    printf("found %d, year %d, zone %s\n", found ? (int)(intptr_t)found->data : -1,
           calendar->tm_year, calendar->tm_zone);
}

static void environment_use(int round)
{
    char name[16], value[16];

    snprintf(name, sizeof name, "LIFE%d", round % 3);
    snprintf(value, sizeof value, "v%d", round);
    setenv(name, value, 1);
    if (round == 2)
        unsetenv("LIFE0");
    printf("env %s %s %s\n", getenv("LIFE0"), getenv("LIFE1"), getenv("LIFE2"));
}

static void process_use(void)
{
    struct rlimit limit;
    char folder[256];
    mode_t mask = umask(0);

    umask(mask);
    getrlimit(RLIMIT_CORE, &limit);
    raise(SIGUSR1);
    printf("signals %d, umask %o, folder %s, core %ld, key %s, locale %s\n", signals_seen, mask,
           strrchr(getcwd(folder, sizeof folder), '/'), (long)limit.rlim_cur,
           (char *)pthread_getspecific(key), setlocale(LC_ALL, NULL));
}

static void jumps_use(int round)
{
    sigset_t mask;

    jumps = 0;
    if (setjmp(jump) < 2) {
        jumps++;
        checkpoint();
        longjmp(jump, jumps);
    }
    sigprocmask(SIG_BLOCK, NULL, &mask);
    printf("jumped %d times in round %d, USR2 %s\n", jumps, round,
           sigismember(&mask, SIGUSR2) ? "blocked" : "open");
}

static void process_open(void)
{
    struct rlimit limit = {0, 0};
    time_t when = 86400 * 365;
    sigset_t mask;

    setenv("TZ", "EST5EDT", 1);
    calendar = localtime(&when);
    signal(SIGUSR1, on_signal);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR2);
    sigprocmask(SIG_BLOCK, &mask, NULL);
    umask(027);
    setrlimit(RLIMIT_CORE, &limit);
    mkdir("sub", 0700);
    if (chdir("sub") != 0)
        printf("no sub\n");
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, "value");
    setlocale(LC_ALL, "C.UTF-8");
    hcreate(30);
    atexit(on_exit_plain);
    atexit(on_exit_second);
    on_exit(on_exit_status, (char *)(intptr_t) "bye");
    srandom(42);
    srand48(7);
}

static void *thread_main(void *argument)
{
    return argument;
}

static void pipe_check(int native, const char *how)
{
    const char *reason = life_obstacle();

    if (!native && (reason == NULL || strstr(reason, "pipe") == NULL))
        printf("a pipe is no obstacle: %s\n", how);
}

/* The pipe is left by copies alone, of each kind. */
static void copies_use(int native)
{
    static const char *const how[] = {"dup", "dup2", "dup3", "F_DUPFD", "F_DUPFD_CLOEXEC"};

    for (int i = 0; i < 5; i++) {
        int ends[2], copy = -1;

        if (pipe(ends) != 0)
            return;
        copy = i == 0   ? dup(ends[0])
               : i == 1 ? dup2(ends[0], 100)
               : i == 2 ? dup3(ends[0], 100, O_CLOEXEC)
                        : fcntl(ends[0], i == 3 ? F_DUPFD : F_DUPFD_CLOEXEC, 100);
        close(ends[0]);
        close(ends[1]);
        pipe_check(native, how[i]);
        if (vfork() == 0) {
            close(copy);
            _exit(0);
        }
        wait(NULL);
        pipe_check(native, "a vforked child has closed it");
        if (dup2(0, copy) != copy || life_obstacle() != NULL)
            printf("a pipe that was replaced is an obstacle\n");
        close(copy);
    }
}

/* A read of a FIFO that has nothing yet. */
static void request_use(int native)
{
    int fd = mkfifo("fifo", 0600) == 0 ? open("fifo", O_RDWR) : -1;
    char byte;
    struct aiocb request = {.aio_fildes = fd, .aio_buf = &byte, .aio_nbytes = 1};
    const struct aiocb *list[] = {&request};
    const char *reason;

    if (aio_read(&request) != 0)
        printf("no aio_read\n");
    reason = life_obstacle();
    if (!native && (reason == NULL || strstr(reason, "aio_read") == NULL))
        printf("a request under way is no obstacle\n");
    if (write(fd, "x", 1) != 1)
        printf("no byte\n");
    aio_suspend(list, 1, NULL);
    printf("aio_read %zd %c\n", aio_return(&request), byte);
    close(fd);
    unlink("fifo");
}

static void others_use(int native)
{
    const char *reason;
    char name[32];
    DIR *own = opendir("/proc/self");
    int fd;

    if (life_obstacle() != NULL)
        printf("the folder of the process is an obstacle\n");
    closedir(own);
    snprintf(name, sizeof name, "/proc/%d/stat", getppid());
    fd = open(name, O_RDONLY);
    reason = life_obstacle();
    if (!native && (reason == NULL || strstr(reason, name) == NULL))
        printf("what is open of another process is no obstacle\n");
    close(fd);
}

/* An obstacle is named while it exists, and no longer. */
static void obstacles_use(int native)
{
    pthread_t thread;
    const char *reason;
    int pair[2];

    pthread_create(&thread, NULL, thread_main, NULL);
    reason = life_obstacle();
    if (!native && (reason == NULL || strstr(reason, "pthread_create") == NULL))
        printf("a thread is no obstacle\n");
    pthread_join(thread, NULL);
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0) {
        reason = life_obstacle();
        if (!native && (reason == NULL || strstr(reason, "socketpair") == NULL))
            printf("a socket is no obstacle\n");
        close(pair[0]);
        close(pair[1]);
    }
    copies_use(native);
    request_use(native);
    others_use(native);
    reason = life_obstacle();
    if (reason != NULL)
        printf("still an obstacle: %s\n", reason);
}

static int is_native;

static void program(void)
{
    process_open();
    streams_open();
    for (int round = 0; round < ROUNDS; round++) {
        char input[32] = "";

        numbers_use();
        statics_use(round);
        environment_use(round);
        streams_use(round);
        if (fgets(input, sizeof input, stdin) != NULL)
            printf("input %s", input);
        checkpoint();
        process_use();
        jumps_use(round);
        obstacles_use(is_native);
    }
    if (sigsetjmp(signal_jump, 1) == 0)
        siglongjmp(signal_jump, 1);
    streams_show();
    exit(5);
}

/* The parent: starts lives until one ends by itself, behind so many *deaths; its output goes to
 * `output`. */
static int lives_run(const char *self, const char *mode, const char *output, int *deaths)
{
    const char *undo = undo_path;
    char failed[3072];
    int status = 0, pipe_in[2], out = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);

    if (pipe(pipe_in) != 0 || write(pipe_in[1], "1\n2\n3\n4\n5\n", 10) != 10)
        return -1;
    close(pipe_in[1]);
    for (*deaths = 0; *deaths < LIVES; ++*deaths) {
        pid_t child = fork();

        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            dup2(out, 1);
            dup2(pipe_in[0], 0);
            close(out);
            close(pipe_in[0]);
            execl(self, self, *deaths == 0 || *mode == 'n' ? mode : "next", (char *)NULL);
            _exit(99);
        }
        waitpid(child, &status, 0);
        if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
            break;
        if (ft_undo_apply(&(struct ft_undo_party){.folders = &undo, .count = 1, .number = *deaths},
                          1, failed, NULL, NULL) != 0) {
            fprintf(stderr, "undo of %s failed\n", failed);
            return -1;
        }
    }
    close(out);
    close(pipe_in[0]);
    return status;
}

static char *text_of(const char *path)
{
    FILE *stream = fopen(path, "r");
    char *text = calloc(1, 65536);

    text[stream != NULL ? fread(text, 1, 65535, stream) : 0] = 0;
    if (stream != NULL)
        fclose(stream);
    return text;
}

static int compare(const char *a, const char *b)
{
    const char *text = text_of(a);

    if (*text && strcmp(text, text_of(b)) == 0)
        return 0;
    fprintf(stderr, "%s and %s differ, or are empty\n", a, b);
    return 1;
}

/* Both runs in folders of their own; then all they wrote is compared. */
static int parent(const char *self)
{
    static const char *const written[] = {"plain.txt", "update.txt", "wide.txt", "raw.txt"};
    char folder[] = "/tmp/ft_life_test.XXXXXX", program_path[512];
    char a[64], b[64];
    int native, killed, none = 0, deaths = 0, bad;

    if (realpath(self, program_path) == NULL || mkdtemp(folder) == NULL || chdir(folder) != 0)
        return 1;
    mkdir("undo", 0700);
    snprintf(undo_path, sizeof undo_path, "%s/undo", folder);
    native = lives_run(program_path, "native", "native.out", &none);
    if (rename("sub", "native") != 0)
        return 1;
    killed = lives_run(program_path, "first", "killed.out", &deaths);
    bad = compare("native.out", "killed.out");
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        snprintf(a, sizeof a, "native/%s", written[i]);
        snprintf(b, sizeof b, "sub/%s", written[i]);
        bad |= compare(a, b);
    }
    if (!WIFEXITED(killed) || WEXITSTATUS(killed) != 5 || killed != native) {
        fprintf(stderr, "wait status %x natively, %x with deaths\n", native, killed);
        bad = 1;
    }
    if (none != 0 || deaths != DEATHS) {
        fprintf(stderr, "%d deaths natively, %d of %d with deaths\n", none, deaths, DEATHS);
        bad = 1;
    }
    if (bad)
        fprintf(stderr, "see %s\n", folder);
    else if (system("rm -rf \"$PWD\"") != 0)
        return 1;
    return bad;
}

int main(int argc, char **argv)
{
    char folder[200];

    if (argc == 1) {
        close_range(3, ~0U,
                    0); /* as ftrun does: what the shell left open is no state of the program */
        personality(ADDR_NO_RANDOMIZE);
        return parent(argv[0]);
    }
    if (getcwd(folder, sizeof folder) == NULL)
        return 1;
    is_native = strcmp(argv[1], "native") == 0;
    snprintf(image_path, sizeof image_path, "%s/image", folder);
    snprintf(undo_path, sizeof undo_path, "%s/undo", folder);
    if (strcmp(argv[1], "next") == 0)
        life_next(undo_path, image_path, __data_start, _end);
    life_first(is_native ? NULL : undo_path, program);
    return 1;
}
