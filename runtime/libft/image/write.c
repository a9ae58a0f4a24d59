/* Writing an image, in the cloned writer.
 *
 * Order: what is apart, because the rank waits for that; the heap region's mappings, then what they
 * hold; the modules' parts; the stack from the safe point up, or all of it (stack.h). Pages never
 * touched are not written: they are zero when mapped anew. */
#include "image/format.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "image/apart.h"
#include "image/layout.h"
#include "image/modules.h"
#include "image/stack.h"
#include "os/os.h"

struct writer {
    int fd;
    int memory; /* where what is apart is read from */
    uint64_t bytes;
    uint64_t chain; /* checksum over the blocks so far */
    uint32_t plain; /* contents have no checksums */
};

static int write_all(struct writer *writer, const void *head, size_t head_bytes, const void *data,
                     size_t data_bytes)
{
    struct iovec part[2] = {{(void *)(uintptr_t)head, head_bytes},
                            {(void *)(uintptr_t)data, data_bytes}};
    struct iovec *at = part;
    int left = data_bytes ? 2 : 1;

    while (left > 0) {
        ssize_t done = writev(writer->fd, at, left);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done < 0 ? -errno : -EIO;
        writer->bytes += (uint64_t)done;
        while (left > 0 && (size_t)done >= at->iov_len) {
            done -= (ssize_t)at->iov_len;
            at++;
            left--;
        }
        if (left > 0) {
            at->iov_base = (char *)at->iov_base + done;
            at->iov_len -= (size_t)done;
        }
    }
    return 0;
}

static int block_write(struct writer *writer, struct ft_image_block block, const void *data)
{
    if (block.kind == FT_BLOCK_DATA && !writer->plain)
        block.checksum = XXH3_64bits(data, block.length);
    if (block.kind == FT_BLOCK_END)
        block.checksum = writer->chain;
    block.self = XXH3_64bits(&block, offsetof(struct ft_image_block, self));
    uint64_t link[2] = {writer->chain, block.self};
    writer->chain = XXH3_64bits(link, sizeof link);
    return write_all(writer, &block, sizeof block, data,
                     block.kind == FT_BLOCK_DATA ? block.length : 0);
}

static int write_range(void *closure, uintptr_t begin, uintptr_t end)
{
    struct writer *writer = closure;

    while (begin < end) {
        size_t length = end - begin < FT_IMAGE_BLOCK_MAX ? end - begin : FT_IMAGE_BLOCK_MAX;
        struct ft_image_block block = {.kind = FT_BLOCK_DATA, .address = begin, .length = length};
        int code = block_write(writer, block, (const void *)begin);

        if (code != 0)
            return code;
        begin += length;
    }
    return 0;
}

struct hidden { /* a mapping that cannot be read */
    struct writer *writer;
    const struct ft_os_mapping *mapping;
    int opened;
};

static int write_hidden(void *closure, uintptr_t begin, uintptr_t end)
{
    struct hidden *hidden = closure;
    const struct ft_os_mapping *mapping = hidden->mapping;

    if (!hidden->opened && mprotect((void *)mapping->begin, mapping->end - mapping->begin,
                                    mapping->prot | PROT_READ) != 0)
        return -errno;
    hidden->opened = 1;
    return write_range(hidden->writer, begin, end);
}

/* Content written before a mapping was protected is there when the program opens it again. Most
 * such mappings are guard pages, which nobody has touched: they are left alone. A rank that
 * writes its own image needs the protection again, because others may still read its memory. */
static int write_closed(struct writer *writer, const struct ft_os_mapping *mapping)
{
    struct hidden hidden = {.writer = writer, .mapping = mapping};
    int code = ft_os_touched(mapping->begin, mapping->end, write_hidden, &hidden);

    if (hidden.opened &&
        mprotect((void *)mapping->begin, mapping->end - mapping->begin, mapping->prot) != 0)
        return code ? code : -errno;
    return code;
}

/* A mapping of the heap region. */
static int write_mapping(void *closure, const struct ft_os_mapping *mapping)
{
    struct ft_image_block block = {.kind = FT_BLOCK_MAP,
                                   .prot = (uint32_t)mapping->prot,
                                   .address = mapping->begin,
                                   .length = mapping->end - mapping->begin};
    int code = block_write(closure, block, NULL);

    if (code != 0)
        return code;
    if (!(mapping->prot & PROT_READ))
        return write_closed(closure, mapping);
    return ft_os_touched(mapping->begin, mapping->end, write_range, closure);
}

/* Pages that are apart. A kernel that gave them to the clone has made a mapping in vain; it would
 * stand in the image a second time. */
static int write_pages(void *closure, void *pages, size_t bytes, size_t used)
{
    static char buffer[1 << 20];
    struct writer *writer = closure;
    struct ft_image_block map = {.kind = FT_BLOCK_MAP,
                                 .prot = PROT_READ | PROT_WRITE,
                                 .address = (uintptr_t)pages,
                                 .length = bytes};
    int code = block_write(writer, map, NULL);

    ft_os_unmap(pages, bytes);
    for (size_t at = 0, length; at < used && code == 0; at += length) {
        struct ft_image_block block = {.kind = FT_BLOCK_DATA, .address = (uintptr_t)pages + at};

        length = used - at < sizeof buffer ? used - at : sizeof buffer;
        block.length = length;
        code = ft_os_memory_read(writer->memory, block.address, buffer, length);
        if (code == 0)
            code = block_write(writer, block, buffer);
    }
    return code;
}

static int write_apart(struct writer *writer, const struct ft_apart *apart)
{
    int code;

    if (!apart)
        return 0;
    writer->memory = apart->memory;
    code = apart->each(apart->of, write_pages, writer);
    close(apart->end);
    return code;
}

static int write_part(struct writer *writer, const struct ft_part *part)
{
    struct ft_image_block block = {
        .kind = FT_BLOCK_ZERO, .address = part->begin, .length = part->end - part->begin};

    if (!part->fresh)
        return write_range(writer, part->begin, part->end);
    int code = block_write(writer, block, NULL);
    return code ? code : ft_os_touched(part->begin, part->end, write_range, writer);
}

static int write_stack(struct writer *writer)
{
    if (ft_stack_low() != 0)
        return write_range(writer, ft_stack_low(), FT_STACK_TOP);
    return ft_os_touched(FT_STACK_TOP - ft_stack_bytes(), FT_STACK_TOP, write_range, writer);
}

struct image { /* what ft_image_write is asked for */
    int fd;
    const struct ft_image_info *info;
    const struct ft_apart *apart;
    struct writer writer;
    int code;
    struct ft_os_context back;
};

static int image_write(struct writer *writer, const struct image *image)
{
    const struct ft_modules *modules = ft_modules_get();
    struct ft_image_head head = {.magic = FT_IMAGE_MAGIC,
                                 .version = FT_IMAGE_VERSION,
                                 .info = *image->info,
                                 .stack_bytes = ft_stack_bytes()};
    struct ft_image_block end = {.kind = FT_BLOCK_END};
    int code;

    head.checksum = XXH3_64bits(&head, offsetof(struct ft_image_head, checksum));
    writer->chain = head.checksum;
    code = write_all(writer, &head, sizeof head, NULL, 0);
    if (code == 0)
        code = write_apart(writer, image->apart);
    if (code == 0)
        code = ft_os_mappings(FT_HEAP_BASE, FT_HEAP_END, write_mapping, writer);
    for (int i = 0; i < modules->parts && code == 0; i++)
        code = write_part(writer, &modules->part[i]);
    if (code == 0)
        code = write_stack(writer);
    return code == 0 ? block_write(writer, end, NULL) : code;
}

static void image_run(void *closure)
{
    struct image *image = closure;
    struct writer writer = {.fd = image->fd, .plain = image->info->plain};
    int code = image_write(&writer, image);

    image->writer = writer;
    image->code = code;
    ft_os_context_continue(&image->back);
}

/* Always on a stack that is not in the image: the caller's may lie in the heap (stack.h), and the
 * frames of what writes a block may not change while the block is summed up and written. */
int ft_image_write(int fd, const struct ft_image_info *info, const struct ft_apart *apart,
                   uint64_t *bytes, uint64_t *checksum)
{
    static char stack[256 << 10] __attribute__((aligned(16)));
    struct image image = {.fd = fd, .info = info, .apart = apart};

    if (ft_os_context_save(&image.back) == 0)
        ft_os_stack_switch(stack + sizeof stack, image_run, &image);
    *bytes = image.writer.bytes;
    *checksum = image.writer.chain;
    return image.code;
}

uint64_t ft_image_layout(void)
{
    return ft_modules_get()->layout;
}

uint64_t ft_image_build(void)
{
    return ft_modules_get()->build;
}
