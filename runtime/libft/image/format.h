/* format: the bytes of an image file (docs/formats/image.md). Little endian, written and read on
 * one kind of machine. A file is a head, blocks, and an end block; FT_IMAGE_VERSION changes with
 * any of these structs, and another version is refused. */
#ifndef FT_IMAGE_FORMAT_H
#define FT_IMAGE_FORMAT_H

#include "image/image.h"

#define FT_IMAGE_MAGIC 0x316567616d695446UL /* "FTimage1" */
#define FT_IMAGE_VERSION 2
#define FT_IMAGE_BLOCK_MAX (4UL << 20) /* bytes of a block's content */

struct ft_image_head {
    uint64_t magic;
    uint32_t version;
    uint32_t pad;
    struct ft_image_info info;
    uint64_t stack_bytes; /* size of the program's stack */
    uint64_t checksum;    /* XXH3-64 of the head up to here */
};

enum ft_block_kind {
    FT_BLOCK_MAP = 1,  /* the region maps [address, address + length) with `prot`; no content */
    FT_BLOCK_ZERO = 2, /* [address, address + length) is zero but for the blocks that follow */
    FT_BLOCK_DATA = 3, /* `length` bytes of content for `address` follow the block */
    FT_BLOCK_END = 4   /* no content; checksum covers the checksums of all blocks before */
};

struct ft_image_block {
    uint32_t kind; /* enum ft_block_kind */
    uint32_t prot; /* PROT_* (MAP) */
    uint64_t address;
    uint64_t length;
    uint64_t checksum; /* DATA: XXH3-64 of the content, 0 in a plain image; END: see above */
    uint64_t self;     /* XXH3-64 of the fields before */
};

#endif
