/* Reading an image into this process.
 *
 * Runs on the system's stack, before anything of the program does. Every content that has a
 * checksum is checked right after it was read, while it is in the cache; a damaged block therefore
 * leaves a half-made process, which must end (image.h). Protections come last, because content goes
 * in through writable pages. */
#include "image/format.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "image/layout.h"
#include "image/modules.h"
#include "image/stack.h"
#include "os/os.h"

#define PAGE 4096UL
#define REASON 256
#define BUFFER (256UL << 10)
#define KEPT_BYTES (256UL << 10)

#define PROTECTIONS 4096
struct protections { /* a part of the list of mappings that must not stay writable */
    struct protections *next;
    int count;
    struct ft_image_block block[PROTECTIONS];
};

struct image_reader {
    int fd;
    uint64_t chain;
    uint32_t plain; /* contents have no checksums */
    size_t at, end; /* unread bytes of the buffer */
    char *reason;
    char *buffer;
    struct protections *protections; /* so far, the last part first */
};

static int fail(struct image_reader *reader, int code, const char *what)
{
    snprintf(reader->reason, REASON, "%s", what);
    return code;
}

/* Why a system call on the file has failed. A file server's ESTALE is none of ours, which says that
 * the image fits another process; and it may be over when the file is opened again. */
static int file_error(void)
{
    return errno == ESTALE ? -EREMOTEIO : -errno;
}

/* Large reads go straight to their place; the small ones between them through the buffer. */
static int read_all(struct image_reader *reader, void *to, size_t length)
{
    char *out = to;

    while (length > 0) {
        size_t have = reader->end - reader->at;

        if (have > 0) {
            size_t part = have < length ? have : length;

            memcpy(out, reader->buffer + reader->at, part);
            reader->at += part;
            out += part;
            length -= part;
            continue;
        }
        int direct = length >= BUFFER;
        ssize_t got = read(reader->fd, direct ? out : reader->buffer, direct ? length : BUFFER);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 ? fail(reader, file_error(), "the file cannot be read")
                           : fail(reader, -EBADMSG, "the file is truncated");
        if (direct) {
            out += got;
            length -= (size_t)got;
        } else {
            reader->at = 0;
            reader->end = (size_t)got;
        }
    }
    return 0;
}

static int head_read(struct image_reader *reader, struct ft_image_head *head)
{
    int code = read_all(reader, head, sizeof *head);

    if (code != 0)
        return code;
    if (head->magic != FT_IMAGE_MAGIC || head->version != FT_IMAGE_VERSION)
        return fail(reader, -EBADMSG, "not an image of this version");
    if (head->checksum != XXH3_64bits(head, offsetof(struct ft_image_head, checksum)))
        return fail(reader, -EBADMSG, "the head is damaged");
    if (head->info.build != ft_image_build())
        return fail(reader, -ESTALE, "the image belongs to another build of the program");
    if (head->info.layout != ft_image_layout())
        return fail(reader, -ESTALE,
                    "the process is laid out differently (other libraries, kernel, or limits)");
    reader->chain = head->checksum;
    reader->plain = head->info.plain;
    return 0;
}

/* May an image write here? Only to where one lies: the heap region, the stack, the modules' parts.
 */
static int is_image_place(uintptr_t begin, uintptr_t length)
{
    const struct ft_modules *modules = ft_modules_get();
    uintptr_t end = begin + length;

    if (end < begin)
        return 0;
    if ((begin >= FT_HEAP_BASE && end <= FT_HEAP_END) ||
        (begin >= FT_STACK_TOP - ft_stack_bytes() && end <= FT_STACK_TOP))
        return 1;
    for (int i = 0; i < modules->parts; i++)
        if (begin >= modules->part[i].begin && end <= modules->part[i].end)
            return 1;
    return 0;
}

/* The first touches of many pages by one call: with what is read, 2.4 to 2.9 us a page in place of
 * 3.0 to 3.5. Advice that a kernel does not take costs that, and nothing else. */
static void touch(void *to, size_t length)
{
    uintptr_t begin = (uintptr_t)to & ~(PAGE - 1);

    if (length >= BUFFER)
        madvise((void *)begin, (uintptr_t)to + length - begin, MADV_POPULATE_WRITE);
}

static int block_data(struct image_reader *reader, const struct ft_image_block *block)
{
    void *to = (void *)block->address;
    int code;

    touch(to, block->length);
    code = read_all(reader, to, block->length);
    if (code == 0 && !reader->plain && XXH3_64bits(to, block->length) != block->checksum)
        return fail(reader, -EBADMSG, "a block's checksum differs");
    return code;
}

static int block_map(struct image_reader *reader, const struct ft_image_block *block)
{
    void *at = ft_os_map((void *)block->address, block->length, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

    return at == MAP_FAILED ? fail(reader, -errno, "no memory for the image") : 0;
}

/* Zero memory of a module: pages that a library's constructor has touched become fresh. */
static int block_zero(struct image_reader *reader, const struct ft_image_block *block)
{
    if (madvise((void *)block->address, block->length, MADV_DONTNEED) != 0)
        return fail(reader, -errno, "memory cannot be cleared");
    return 0;
}

/* Remembers a mapping that must not stay writable. A guard page for each of its buffers gives a
 * program tens of thousands of them, so the list has no end; it lies where the kernel chooses,
 * which is far from all places of an image (layout.h). */
static int protection_add(struct image_reader *reader, const struct ft_image_block *block)
{
    struct protections *list = reader->protections;

    if (block->prot == (PROT_READ | PROT_WRITE))
        return 0;
    if (list == NULL || list->count == PROTECTIONS) {
        list = ft_os_map(NULL, sizeof *list, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                         -1, 0);
        if (list == MAP_FAILED)
            return fail(reader, -errno, "no memory for the image's protections");
        list->next = reader->protections;
        reader->protections = list;
    }
    list->block[list->count++] = *block;
    return 0;
}

static int block_put(struct image_reader *reader, const struct ft_image_block *block)
{
    int code;

    if (!is_image_place(block->address, block->length))
        return fail(reader, -EBADMSG, "a block lies outside of the image");
    switch (block->kind) {
    case FT_BLOCK_MAP:
        code = block_map(reader, block);
        return code ? code : protection_add(reader, block);
    case FT_BLOCK_ZERO:
        return block_zero(reader, block);
    case FT_BLOCK_DATA:
        return block_data(reader, block);
    default:
        return fail(reader, -EBADMSG, "unknown kind of block");
    }
}

/* The MPI library's own objects in the executable: into `to`, or back from it. */
static void kept_copy(char *to, int back)
{
    const struct ft_modules *modules = ft_modules_get();

    for (int i = 0; i < modules->kepts; to += modules->kept[i++].bytes) {
        void *object = (void *)modules->kept[i].begin;

        memcpy(back ? object : to, back ? to : object, modules->kept[i].bytes);
    }
}

static size_t kept_bytes(void)
{
    const struct ft_modules *modules = ft_modules_get();
    size_t bytes = 0;

    for (int i = 0; i < modules->kepts; i++)
        bytes += modules->kept[i].bytes;
    return bytes;
}

static int blocks_read(struct image_reader *reader)
{
    struct ft_image_block block;

    for (;;) {
        int code = read_all(reader, &block, sizeof block);

        if (code != 0)
            return code;
        if (block.self != XXH3_64bits(&block, offsetof(struct ft_image_block, self)))
            return fail(reader, -EBADMSG, "a block's head is damaged");
        if (block.kind == FT_BLOCK_END)
            return block.checksum == reader->chain
                       ? 0
                       : fail(reader, -EBADMSG, "blocks are missing or in another order");
        uint64_t link[2] = {reader->chain, block.self};
        reader->chain = XXH3_64bits(link, sizeof link);
        code = block_put(reader, &block);
        if (code != 0)
            return code;
    }
}

static int unmap_one(void *closure, const struct ft_os_mapping *mapping)
{
    (void)closure;
    return ft_os_unmap((void *)mapping->begin, mapping->end - mapping->begin) ? -errno : 0;
}

/* Empties the heap region of what this process's own start put there. */
static int region_clear(struct image_reader *reader)
{
    int code = ft_os_mappings(FT_HEAP_BASE, FT_HEAP_END, unmap_one, NULL);

    return code ? fail(reader, code, "the region cannot be cleared") : 0;
}

static int protections_set(struct image_reader *reader)
{
    for (const struct protections *list = reader->protections; list; list = list->next)
        for (int i = 0; i < list->count; i++)
            if (mprotect((void *)list->block[i].address, list->block[i].length,
                         (int)list->block[i].prot) != 0)
                return fail(reader, -errno, "a protection cannot be set");
    return 0;
}

static void protections_free(struct image_reader *reader)
{
    struct protections *list;

    while ((list = reader->protections) != NULL) {
        reader->protections = list->next;
        ft_os_unmap(list, sizeof *list);
    }
}

int ft_image_read(const char *path, struct ft_image_info *info, char *reason)
{
    static char buffer[BUFFER];
    struct image_reader reader = {.reason = reason, .buffer = buffer};
    static char kept[KEPT_BYTES];
    struct ft_image_head head;
    int code;

    if (kept_bytes() > sizeof kept)
        return fail(&reader, -ENOMEM, "the program uses too many objects of the MPI library");
    reader.fd = open(path, O_RDONLY | O_CLOEXEC);
    if (reader.fd < 0)
        return fail(&reader, file_error(), "the file cannot be opened");
    code = head_read(&reader, &head);
    if (code == 0 && ft_stack_open(head.stack_bytes) != 0)
        code = fail(&reader, -ENOMEM, "the stack's place is taken");
    if (code == 0)
        code = region_clear(&reader);
    if (code == 0) {
        kept_copy(kept, 0);
        code = blocks_read(&reader);
        kept_copy(kept, 1);
    }
    if (code == 0)
        code = protections_set(&reader);
    protections_free(&reader);
    close(reader.fd);
    if (code == 0)
        *info = head.info;
    return code;
}
