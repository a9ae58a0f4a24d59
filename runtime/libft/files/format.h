/* format: undo records on disk (docs/formats/undo.md).
 *
 * A record is a file IIIIIIII-SSSSSSSSSSSS.undo in a rank's undo folder: I is the interval (1 +
 * the number of the checkpoint that it follows), S a number that rises within the rank, both
 * hexadecimal. A record is a head and entries. The old content of a file lies beside it, in the
 * file of the same name that ends in .data. A record appears by rename(2) when it and its data are
 * complete, before the change that it undoes: so it survives SIGKILL. It is not synced: it need not
 * survive the machine.
 *
 * With several clusters IIIIIIII.reads lists the paths that the rank has read in an interval:
 * records of the same form, one behind the other, each appended by one write(2) before the first
 * read of its path. A record that is not whole at the end of the list counts for nothing. */
#ifndef FT_FILES_FORMAT_H
#define FT_FILES_FORMAT_H

#include <stdint.h>

#define FT_UNDO_MAGIC 0x6f646e75U /* "undo" */
#define FT_UNDO_VERSION 7
#define FT_UNDO_NAME 32 /* bytes of a file's name in the folder, with its 0 */
#define FT_UNDO_PATH 4096
#define FT_UNDO_BYTES_MAX (64U << 20) /* of one record */

enum ft_undo_kind {                     /* what the path was at the time of the record */
                    FT_UNDO_ABSENT = 1, /* nothing: undoing removes what is there now */
                    FT_UNDO_COPY,       /* a regular file, whose content is in the .data file */
                    FT_UNDO_SIZE,   /* a regular file that will only grow: undoing truncates it */
                    FT_UNDO_LINK,   /* a symbolic link to `target` */
                    FT_UNDO_FOLDER, /* a folder: undoing makes it, empty */
                    FT_UNDO_FIFO,   /* a FIFO */
                    FT_UNDO_READ /* in .reads only, and the only kind there: the rank reads the path
                                  */
};

struct ft_undo_head {
    uint32_t magic;
    uint32_t version;
    uint32_t entries;
    uint32_t bytes;    /* that follow the head */
    uint64_t time;     /* CLOCK_MONOTONIC, nanoseconds: after the state of the path was read, before
                        * the access */
    uint64_t boot;     /* names the machine's boot: times of two boots cannot be compared */
    uint64_t checksum; /* XXH3-64 of the head with checksum 0, continued over what follows */
};

struct ft_undo_entry {
    uint32_t kind; /* enum ft_undo_kind */
    uint32_t mode; /* permission bits; ABSENT: S_IFDIR where the rank makes a folder, else 0 */
    int64_t size;  /* bytes; COPY and SIZE */
    int64_t mtime_s, mtime_ns;
    uint64_t content; /* COPY: XXH3-64 of the .data file */
    uint32_t hashed;  /* COPY: 0 when the file system shares the content, which was not read then */
    uint32_t path;    /* bytes of the path that follows the entry, with its 0 */
    uint32_t target;  /* bytes of the link's target that follows the path, with its 0 */
    uint32_t links; /* names that the file had; COPY and SIZE, else 0. After path and target, zeros
                     * up to a multiple of 8 */
};

/* Folder in a rank's undo folder. Each file in it marks a folder of the program which the rank
 * had made, and which could not be removed when the rank rolled back. The mark's name is XXH3-64
 * of the path, hexadecimal. The rank removes the mark when it makes the folder again. */
#define FT_UNDO_STAYED_FOLDER "stayed"
#define FT_UNDO_STAYED_NAME "%016llx"

#define FT_UNDO_READS ".reads"

/* The suffix that /proc shows after the path of an open file without a name. Where no folder has
 * room for such files, one in memory stands in; its path tells that it is the program's. */
#define FT_NAMELESS_SUFFIX " (deleted)"
#define FT_NAMELESS_MEMORY "/memfd:ft-nameless"

static inline uint32_t ft_undo_entry_bytes(uint32_t path, uint32_t target)
{
    return ((uint32_t)sizeof(struct ft_undo_entry) + path + target + 7) & ~7U;
}

/* Does the path stand for the names in a folder? Such a path ends in a slash. */
static inline int ft_undo_is_names(const char *path)
{
    while (path[1] != 0)
        path++;
    return *path == '/';
}

#endif
