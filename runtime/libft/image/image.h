/* image: all memory of a rank that the program can see, where it lies, and its file.
 *
 * Fixed addresses (layout.h): the program's heap and mappings, its stack. Besides them the writable
 * segments and thread-local blocks of the executable, of libmimalloc, and of the program's own
 * shared libraries. Invariant: image = what these regions hold + registers at a safe point; nothing
 * in it points to memory of the MPI library, of libft or of libc that is not at the same address in
 * every life (address randomisation is off, and the layout hash says so).
 *
 * Thread rule: single threaded. docs/formats/image.md describes the file. */
#ifndef FT_IMAGE_H
#define FT_IMAGE_H

#include <stddef.h>
#include <stdint.h>

struct ft_image_info { /* head of an image file */
    int32_t rank, size;
    uint32_t checkpoint;
    uint32_t plain; /* 1: contents have no checksums, because the file stays in memory */
    uint64_t hooks;
    uint64_t layout; /* ft_image_layout() */
    uint64_t build;  /* ft_image_build() */
};

/* Hash over (name, base address, build id) of the modules loaded at the program's start, the
 * addresses of stack and thread block, and the kernel's vdso. Equal hashes: an image fits. */
uint64_t ft_image_layout(void);
uint64_t ft_image_build(void); /* of the executable's build id */

struct ft_apart;

/* Writes the image to fd. Called in the cloned writer: uses no malloc, no locks, only raw calls.
 * apart: what it reads out of the rank (apart.h), and unmaps here; NULL: nothing, this process
 * writes its own image. Returns 0 or -errno (-ESRCH: the rank has ended or begun another life,
 * before all that is apart was read); *bytes and *checksum (XXH3-64 of the file) are set on
 * success.
 */
int ft_image_write(int fd, const struct ft_image_info *info, const struct ft_apart *apart,
                   uint64_t *bytes, uint64_t *checksum);

/* Puts the image of `path` into this process: all regions are overwritten. On failure before the
 * first region was touched returns -errno; a damaged block found later is -EBADMSG, and the process
 * must not go on. -ESTALE says that the image fits another process, and nothing else: a file
 * server's is -EREMOTEIO. `reason` (256 bytes) says what is wrong. */
int ft_image_read(const char *path, struct ft_image_info *info, char *reason);

#endif
