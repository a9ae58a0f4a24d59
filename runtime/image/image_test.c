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
#include "image/format.h"
#include "image/stack.h"

#define BYTES (3UL << 20)

static char path[] = "/tmp/ft_image_XXXXXX";
static unsigned char *memory; /* in the region: what the image carries */
static unsigned char *file;   /* the good image */
static size_t file_bytes;

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
    if (ft_image_write(fd, &info, &bytes, &checksum) != 0)
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

/* 0: read and equal, 1: refused with a reason, 2: read without a complaint but different. */
static int read_in_child(void)
{
    int status;
    pid_t child = fork();

    if (child == 0) {
        struct ft_image_info info;
        char reason[256] = "";

        memset(memory, 0xee, BYTES);
        munmap((void *)(FT_STACK_TOP - ft_stack_bytes() - 4096), ft_stack_bytes() + 4096);
        if (ft_image_read(path, &info, reason) != 0)
            _exit(reason[0] ? 1 : 3);
        for (size_t i = 0; i < BYTES; i++)
            if (memory[i] != pattern(i))
                _exit(2);
        _exit(info.rank == 3 && info.checkpoint == 7 && info.hooks == 99 &&
                      *(char *)(FT_STACK_TOP - 1) == 0x5a
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
    assert_int_equal(ft_image_write(fd, &info, &bytes, &checksum), 0);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_back),
        cmocka_unit_test(finds_flipped_bits),
        cmocka_unit_test(finds_truncation),
        cmocka_unit_test(refuses_another_build),
        cmocka_unit_test(plain_comes_back_or_is_refused),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
