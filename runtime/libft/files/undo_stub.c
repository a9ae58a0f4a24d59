#include "files/undo_stub.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "process.h"

struct ft_rank *ft_self;
struct ft_life ft_life;
__thread int ft_depth __attribute__((tls_model("initial-exec"))) = 1;

void *ft_image_alloc(size_t bytes)
{
    return calloc(1, bytes + 1);
}

void ft_image_free(void *block)
{
    free(block);
}

void ft_gate_pass(struct ft_rank *self, unsigned pass)
{
    (void)self;
    (void)pass;
}

void ft_gate_outside(struct ft_rank *self, const void *site)
{
    (void)self;
    (void)site;
}

enum ft_act_part ft_act_meet(struct ft_rank *self, struct ft_act *act)
{
    (void)self;
    (void)act;
    return FT_ACT_MINE;
}

void ft_act_begin(struct ft_rank *self, int64_t there, int64_t size)
{
    (void)self, (void)there, (void)size;
}

void ft_act_note(struct ft_rank *self, const struct ft_act *act)
{
    (void)self;
    (void)act;
}

_Noreturn void ft_refuse(const char *call, const void *site, const char *reason)
{
    (void)site;
    fprintf(stderr, "%s: %s\n", call, reason);
    abort();
}

static void require(int holds, const char *what)
{
    if (!holds) {
        perror(what);
        abort();
    }
}

uint64_t stub_now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* The first 64 KiB of a file at most: tests have no larger ones. */
static uint64_t file_hash(const char *path)
{
    char bytes[1 << 16];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, bytes, sizeof bytes);

    require(length >= 0, path);
    close(fd);
    return XXH3_64bits(bytes, (size_t)length);
}

uint64_t stub_read(const char *folder, uint32_t interval, const char *path)
{
    struct ft_undo_entry entry = {.kind = FT_UNDO_READ};
    struct ft_undo_head head = {.magic = FT_UNDO_MAGIC, .version = FT_UNDO_VERSION, .entries = 1};
    char name[512], record[sizeof head + sizeof entry + 512] = "";
    size_t length;
    int fd;

    entry.path = (uint32_t)strlen(path) + 1;
    length = sizeof head + ft_undo_entry_bytes(entry.path, 0);
    require(length <= sizeof record, "a path that is short enough");
    memcpy(record + sizeof head, &entry, sizeof entry);
    memcpy(record + sizeof head + sizeof entry, path, entry.path);
    head.bytes = (uint32_t)(length - sizeof head);
    head.time = stub_now();
    head.boot = file_hash("/proc/sys/kernel/random/boot_id");
    memcpy(record, &head, sizeof head);
    head.checksum = XXH3_64bits(record, length);
    memcpy(record, &head, sizeof head);
    snprintf(name, sizeof name, "%s/%08x.reads", folder, interval);
    fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    require(fd >= 0 && write(fd, record, length) == (ssize_t)length, name);
    close(fd);
    return head.time;
}

void stub_entry_set(const char *name, void (*set)(struct ft_undo_entry *entry, uint32_t value),
                    uint32_t value)
{
    int fd = open(name, O_RDWR | O_CLOEXEC);
    struct ft_undo_head head;
    _Alignas(struct ft_undo_entry) char record[4096];

    require(fd >= 0 && read(fd, record, sizeof record) > (ssize_t)sizeof head, name);
    set((struct ft_undo_entry *)(record + sizeof head), value);
    memcpy(&head, record, sizeof head);
    head.checksum = 0;
    memcpy(record, &head, sizeof head);
    head.checksum = XXH3_64bits(record, sizeof head + head.bytes);
    memcpy(record, &head, sizeof head);
    require(pwrite(fd, record, sizeof head + head.bytes, 0) > 0, name);
    close(fd);
}
