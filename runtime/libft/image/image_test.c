/* An image goes out and comes back; a damaged one is found, whatever byte was hit.
 *
 * Each reading happens in a forked child, because it overwrites the process. */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <cmocka.h>

#include "heap/heap.h"
#include "image/apart.h"
#include "image/format.h"
#include "image/stack.h"
#include "os/os.h"

#define BYTES (3UL << 20)

static char path[] = "/tmp/ft_image_XXXXXX";
static unsigned char *memory; /* in the region: what the image carries */
static unsigned char *file;   /* the good image */
static size_t file_bytes;

enum { PARTS = 3 };                /* that are apart */
static unsigned char *part[PARTS]; /* BYTES each */
static const size_t part_used[PARTS] = {0, 5000, (2UL << 20) + 17};

static unsigned char *deep; /* this byte of the stack must come back, or NULL */

#define HIDDEN 20480UL
static unsigned char *hidden; /* as many bytes, some of them not readable; or NULL */

#define GUARDS 6000UL
static unsigned char *guarded; /* that many buffers of a page, each with a guard page; or NULL */

int __real_open(const char *name, int flags, ...);
int __wrap_open(const char *name, int flags, ...);
ssize_t __real_read(int fd, void *to, size_t bytes);
ssize_t __wrap_read(int fd, void *to, size_t bytes);

static int lost_open, lost_read = -1; /* has the file server lost the image? From which read on? */
static int image_fd = -1;

/* In place of the C library's (--wrap). */
int __wrap_open(const char *name, int flags, ...)
{
    int fd = __real_open(name, flags);

    if (strcmp(name, path) != 0)
        return fd;
    image_fd = lost_open ? -1 : fd;
    errno = ESTALE;
    return image_fd;
}

ssize_t __wrap_read(int fd, void *to, size_t bytes)
{
    if (fd != image_fd || lost_read-- != 0)
        return __real_read(fd, to, bytes);
    errno = ESTALE;
    return -1;
}

static unsigned char pattern(size_t i)
{
    return (unsigned char)(i * 131 + (i >> 12));
}

static int setup(void **state)
{
    struct ft_image_info info = {.rank = 3, .size = 4, .checkpoint = 7, .hooks = 99};
    uint64_t checksum, bytes;
    int fd = mkstemp(path);

    (void)state;
    memory = ft_heap_map(BYTES, 4096, PROT_READ | PROT_WRITE);
    for (size_t i = 0; i < BYTES; i++)
        memory[i] = pattern(i);
    if (ft_stack_open(1 << 20) != 0)
        return -1;
    memset((void *)(FT_STACK_TOP - 5000), 0x5a, 5000);
    ft_stack_mark(FT_STACK_TOP - 4000);
    info.layout = ft_image_layout();
    info.build = ft_image_build();
    if (ft_image_write(fd, &info, NULL, &bytes, &checksum) != 0)
        return -1;
    file_bytes = bytes;
    file = malloc(bytes);
    if (pread(fd, file, bytes, 0) != (ssize_t)bytes)
        return -1;
    return close(fd);
}

static int teardown(void **state)
{
    (void)state;
    free(file);
    return unlink(path);
}

static void store(const unsigned char *content, size_t bytes)
{
    int fd = open(path, O_WRONLY | O_TRUNC);

    assert_int_equal(write(fd, content, bytes), (ssize_t)bytes);
    close(fd);
}

/* The parts that are kept apart: the first part_used, and zeros. */
static int parts_are_right(void)
{
    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; part[i] && k < BYTES; k++)
            if (part[i][k] != (k < part_used[i] ? pattern(k) : 0))
                return 0;
    return 1;
}

static int take_protection(void *closure, const struct ft_os_mapping *mapping)
{
    *(int *)closure = mapping->prot;
    return 0;
}

/* The protection of the page at `address`; -1: there is none. */
static int protection_of(const void *address)
{
    int prot = -1;

    ft_os_mappings((uintptr_t)address, (uintptr_t)address + 4096, take_protection, &prot);
    return prot;
}

/* Are the protections of what is hidden as they were? */
static int is_hidden(void)
{
    return protection_of(hidden) == PROT_NONE && protection_of(hidden + 8192) == PROT_WRITE &&
           protection_of(hidden + 16384) == PROT_NONE;
}

static int hidden_is_right(void)
{
    if (!hidden)
        return 1;
    if (!is_hidden() || mprotect(hidden, HIDDEN, PROT_READ) != 0)
        return 0;
    return hidden[0] == 0 && hidden[4096] == 41 && hidden[8192] == 42 && hidden[16384] == 0;
}

/* Walks the list of mappings once, not once for each guard page. */
static int count_guard(void *closure, const struct ft_os_mapping *mapping)
{
    size_t at = mapping->begin - (uintptr_t)guarded;

    *(int *)closure +=
        mapping->prot == PROT_NONE && at % 8192 == 4096 && mapping->end - mapping->begin == 4096;
    return 0;
}

static int guards_are_right(void)
{
    uintptr_t begin = (uintptr_t)guarded;
    int guards = 0;

    if (!guarded)
        return 1;
    for (int i = 0; i < (int)GUARDS; i++)
        if (guarded[(size_t)i * 8192] != pattern((size_t)i))
            return 0;
    return ft_os_mappings(begin, begin + GUARDS * 8192, count_guard, &guards) == 0 &&
           guards == (int)GUARDS;
}

/* 0: read and equal, 1: refused with a reason, 2: read without a complaint but different, 4: the
 * file server has lost the file. */
static int read_in_child(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        struct ft_image_info info;
        char reason[256] = "";

        memset(memory, 0xee, BYTES);
        munmap((void *)(FT_STACK_TOP - ft_stack_bytes() - 4096), ft_stack_bytes() + 4096);
        int code = ft_image_read(path, &info, reason);
        if (code != 0)
            _exit(!reason[0] ? 3 : code == -EREMOTEIO ? 4 : 1);
        for (size_t i = 0; i < BYTES; i++)
            if (memory[i] != pattern(i))
                _exit(2);
        _exit(info.rank == 3 && info.checkpoint == 7 && info.hooks == 99 && parts_are_right() &&
                      guards_are_right() && hidden_is_right() &&
                      *(char *)(FT_STACK_TOP - 1) == 0x5a && (!deep || *deep == 0x5a)
                  ? 0
                  : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void comes_back(void **state)
{
    (void)state;
    assert_int_equal(read_in_child(), 0);
}

static void finds_flipped_bits(void **state)
{
    unsigned char *copy = malloc(file_bytes);

    (void)state;
    srandom(20);
    for (int i = 0; i < 120; i++) {
        /* every second hit goes to the head and the first blocks, where lengths and addresses are
         */
        size_t at = (size_t)random() % (i % 2 ? file_bytes : 600);

        memcpy(copy, file, file_bytes);
        copy[at] ^= (unsigned char)(1 << random() % 8);
        store(copy, file_bytes);
        assert_int_equal(read_in_child(), 1);
    }
    store(file, file_bytes);
    free(copy);
}

static void finds_truncation(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++) {
        store(file, (size_t)random() % file_bytes);
        assert_int_equal(read_in_child(), 1);
    }
    store(file, file_bytes - 1);
    assert_int_equal(read_in_child(), 1);
    store(file, file_bytes);
}

static void refuses_another_build(void **state)
{
    struct ft_image_head head;
    unsigned char *copy = malloc(file_bytes);

    (void)state;
    memcpy(copy, file, file_bytes);
    memcpy(&head, copy, sizeof head);
    head.info.build++;
    memcpy(copy, &head, sizeof head);
    store(copy, file_bytes);
    assert_int_equal(read_in_child(), 1);
    store(file, file_bytes);
    free(copy);
}

/* That is not an image of another process. */
static void lost_file_is_no_misfit(void **state)
{
    (void)state;
    lost_open = 1;
    assert_int_equal(read_in_child(), 4);
    lost_open = 0;
    for (lost_read = 0; lost_read < 3; lost_read++)
        assert_int_equal(read_in_child(), 4);
    lost_read = -1;
    assert_int_equal(read_in_child(), 0);
}

/* Sizes, places and order are still checked. */
static void plain_comes_back_or_is_refused(void **state)
{
    struct ft_image_info info = {.rank = 3, .size = 4, .checkpoint = 7, .hooks = 99, .plain = 1};
    int fd = open(path, O_RDWR | O_TRUNC);
    uint64_t checksum, bytes;
    unsigned char *copy;

    (void)state;
    info.layout = ft_image_layout();
    info.build = ft_image_build();
    assert_int_equal(ft_image_write(fd, &info, NULL, &bytes, &checksum), 0);
    copy = malloc(bytes);
    assert_int_equal(pread(fd, copy, bytes, 0), (ssize_t)bytes);
    close(fd);
    assert_int_equal(read_in_child(), 0);
    for (int i = 0; i < 40; i++) {
        store(copy, (size_t)random() % bytes);
        assert_int_equal(read_in_child(), 1);
    }
    for (size_t at = 0; at < sizeof(struct ft_image_head) + sizeof(struct ft_image_block); at++) {
        copy[at] ^= 4;
        store(copy, bytes);
        assert_int_equal(read_in_child(), 1);
        copy[at] ^= 4;
    }
    store(file, file_bytes);
    free(copy);
}

/* An image of the present state, over the good one. */
static void write_anew(void)
{
    struct ft_image_info info = {.rank = 3, .size = 4, .checkpoint = 7, .hooks = 99};
    int fd = open(path, O_RDWR | O_TRUNC);
    uint64_t checksum, bytes;

    info.layout = ft_image_layout();
    info.build = ft_image_build();
    assert_int_equal(ft_image_write(fd, &info, NULL, &bytes, &checksum), 0);
    close(fd);
}

/* Each of many buffers has a guard page behind it. */
static void guard_pages_come_back(void **state)
{
    unsigned char *buffers = ft_heap_map(GUARDS * 8192, 4096, PROT_READ | PROT_WRITE);

    (void)state;
    for (int i = 0; i < (int)GUARDS; i++) {
        buffers[(size_t)i * 8192] = pattern((size_t)i);
        assert_int_equal(mprotect(buffers + (size_t)i * 8192 + 4096, 4096, PROT_NONE), 0);
    }
    write_anew();
    guarded = buffers;
    assert_int_equal(read_in_child(), 0);
    guarded = NULL;
    assert_int_equal(ft_heap_unmap(buffers, GUARDS * 8192), 0);
    store(file, file_bytes);
}

/* Written, and then not readable any more when the image is taken. */
static void hidden_content_comes_back(void **state)
{
    (void)state;
    hidden = ft_heap_map(HIDDEN, 4096, PROT_READ | PROT_WRITE);
    hidden[4096] = 41;
    hidden[8192] = 42;
    assert_int_equal(mprotect(hidden, 8192, PROT_NONE), 0);
    assert_int_equal(mprotect(hidden + 8192, 4096, PROT_WRITE), 0);
    assert_int_equal(mprotect(hidden + 12288, HIDDEN - 12288, PROT_NONE), 0);
    write_anew();
    assert_true(is_hidden());
    assert_int_equal(read_in_child(), 0);
    assert_int_equal(ft_heap_unmap(hidden, HIDDEN), 0);
    hidden = NULL;
    store(file, file_bytes);
}

/* A safe point on a coroutine's stack, which lies in the heap. */
static void stack_of_a_coroutine(void **state)
{
    (void)state;
    ft_stack_mark((uint64_t)(uintptr_t)(memory + 5000));
    write_anew();
    deep = (unsigned char *)(FT_STACK_TOP - 5000);
    assert_int_equal(read_in_child(), 0);
    deep = NULL;
    ft_stack_mark(FT_STACK_TOP - 4000);
    store(file, file_bytes);
}

static int each_part(const void *of, ft_apart_visit *visit, void *closure)
{
    int code = 0;

    for (int i = 0; i < PARTS && code == 0; i++)
        code = visit(closure, ((unsigned char *const *)of)[i], BYTES, part_used[i]);
    return code;
}

/* The clone: begins when something can be read from `gate`, and answers with the code; it ends,
 * too, when nobody is left to write there. */
static void clone_run(const struct ft_apart *apart, const int gate[2], int answer)
{
    struct ft_image_info info = {.rank = 3, .size = 4, .checkpoint = 7, .hooks = 99};
    uint64_t checksum, bytes;
    int fd = open(path, O_WRONLY | O_TRUNC), code;
    char go;

    info.layout = ft_image_layout();
    info.build = ft_image_build();
    close(gate[1]);
    code =
        read(gate[0], &go, 1) == 1 ? ft_image_write(fd, &info, apart, &bytes, &checksum) : -EPIPE;
    _exit(write(answer, &code, sizeof code) != sizeof code);
}

static int answer_of(int fd)
{
    int code = -EPIPE;

    assert_int_equal(read(fd, &code, sizeof code), sizeof code);
    return code;
}

/* The writer has none of it (or, the last part, a useless copy), while the rank goes on. */
static void comes_from_the_rank(void **state)
{
    struct ft_apart apart = {.each = each_part, .of = part};
    int gate[2], answer[2];

    (void)state;
    assert_int_equal(pipe(gate) | pipe(answer), 0);
    for (int i = 0; i < PARTS; i++) {
        part[i] = ft_heap_map(BYTES, 4096, PROT_READ | PROT_WRITE);
        for (size_t k = 0; k < part_used[i]; k++)
            part[i][k] = (unsigned char)~pattern(k);
        assert_int_equal(i < 2 ? madvise(part[i], BYTES, MADV_DONTFORK) : 0, 0);
    }
    assert_int_equal(ft_apart_open(&apart), 0);
    ft_apart_watch(apart.until);
    if (fork() == 0)
        clone_run(&apart, gate, answer[1]);
    ft_apart_close(&apart);
    assert_false(ft_apart_is_read());
    for (int i = 0; i < PARTS; i++)
        for (size_t k = 0; k < BYTES; k++)
            part[i][k] = pattern(k);
    assert_int_equal(write(gate[1], "", 1), 1);
    ft_apart_wait(60);
    assert_true(ft_apart_is_read());
    assert_int_equal(answer_of(answer[0]), 0);
    assert_int_equal(read_in_child(), 0);
}

/* A rank that is gone before it was read makes no image, and none that looks like one. */
static void rank_is_gone(void **state)
{
    struct ft_apart apart = {.each = each_part, .of = part};
    int gate[2], answer[2], status;
    pid_t rank;

    (void)state;
    assert_int_equal(pipe(gate) | pipe(answer), 0);
    rank = fork();
    if (rank == 0) {
        if (ft_apart_open(&apart) != 0)
            _exit(1);
        if (fork() == 0)
            clone_run(&apart, gate, answer[1]);
        _exit(0);
    }
    assert_int_equal(waitpid(rank, &status, 0), rank);
    assert_int_equal(status, 0);
    assert_int_equal(write(gate[1], "", 1), 1);
    assert_int_equal(answer_of(answer[0]), -ESRCH);
    assert_int_equal(read_in_child(), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(finds_flipped_bits),
        cmocka_unit_test(finds_truncation),
        cmocka_unit_test(refuses_another_build),
        cmocka_unit_test(lost_file_is_no_misfit),
        cmocka_unit_test(plain_comes_back_or_is_refused),
        cmocka_unit_test(guard_pages_come_back),
        cmocka_unit_test(hidden_content_comes_back),
        cmocka_unit_test(stack_of_a_coroutine),
        cmocka_unit_test(comes_from_the_rank),
        cmocka_unit_test(rank_is_gone),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
