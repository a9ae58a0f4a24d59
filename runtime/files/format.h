/* format: undo records on disk (docs/formats/undo.md).
 *
 * A record is a file IIIIIIII-SSSSSSSSSSSS.undo in a rank's undo folder: I, the interval (1 +
 * number of the checkpoint it follows), S, a number that rises within the rank, both hexadecimal.
 * It holds a head and entries. The old content of a file stands beside it, in the file of the same
 * name with the ending .data. A record appears by rename(2) when it and its data are complete,
 * before the act that it undoes: so it survives SIGKILL. It is not synced: it need not survive the
 * machine.
 *
 * What a rank read in an interval stands in IIIIIIII.reads of the same folder: records of the same
 * form, one behind the other, each appended by one write(2) before the read that it tells of. What
 * is not whole at the end counts for nothing. */
#ifndef FT_FILES_FORMAT_H
#define FT_FILES_FORMAT_H

#include <stdint.h>

#define FT_UNDO_MAGIC 0x6f646e75U /* "undo" */
#define FT_UNDO_VERSION 6
#define FT_UNDO_NAME 32 /* bytes of a file's name in the folder, with its 0 */
#define FT_UNDO_PATH 4096
#define FT_UNDO_BYTES_MAX (64U << 20) /* of one record */

enum ft_undo_kind {                     /* what the path was at the time of the record */
                    FT_UNDO_ABSENT = 1, /* nothing: undoing removes it */
                    FT_UNDO_COPY,       /* a regular file, whose content is in the .data file */
                    FT_UNDO_SIZE,   /* a regular file that will only grow: undoing truncates it */
                    FT_UNDO_LINK,   /* a symbolic link, to `target` */
                    FT_UNDO_FOLDER, /* a folder; undoing makes it, empty */
                    FT_UNDO_FIFO,   /* a FIFO */
                    /* in .reads alone, where the ones before do not occur: */
                    FT_UNDO_SEEN,  /* it was there: of the type in `mode` */
                    FT_UNDO_MISSED /* looked for in vain */
};

struct ft_undo_head {
    uint32_t magic;
    uint32_t version;
    uint32_t entries;
    uint32_t bytes;    /* that follow the head */
    uint64_t time;     /* CLOCK_MONOTONIC, nanoseconds, read after what the record tells was read */
    uint64_t boot;     /* names the machine's boot: times of two boots cannot be compared */
    uint64_t checksum; /* XXH3-64 of the head with checksum 0, continued over what follows */
};

struct ft_undo_entry {
    uint32_t kind; /* enum ft_undo_kind */
    uint32_t mode; /* permission bits; SEEN: with the type (S_IFMT) */
    int64_t size;  /* bytes; COPY, SIZE, and SEEN of a regular file */
    int64_t mtime_s, mtime_ns;
    uint64_t content; /* XXH3-64 of the .data file (COPY), of the content that was found (SEEN) */
    uint32_t hashed;  /* COPY: 0 when the content was shared by the file system and not read.
                       * SEEN: 1 when the file had changed shortly before, so that its time would
                       * not show one more change: then `content` decides, and not the time */
    uint32_t path;    /* bytes of the path that follows the entry, with its 0 */
    uint32_t target;  /* bytes of the link's target that follows the path, with its 0 */
    uint32_t links; /* names that the file had; COPY and SIZE, else 0. After path and target, zeros
                     * up to a multiple of 8 */
};

enum ft_access_change {
    FT_ACCESS_READ,
    FT_ACCESS_CONTENT, /* it changes what is there */
    FT_ACCESS_NAME,    /* it makes the path by a call that fails where it is there, or removes or
                          renames it */
};

enum ft_access_needs { /* what an access of a path has found there, or needs to be done */
                       FT_NEEDS_NOTHING,  /* whatever is there: a change of the content, a name that
                                             a file gets */
                       FT_NEEDS_ABSENCE,  /* the path is made by a call that fails where it is there
                                           */
                       FT_NEEDS_PRESENCE, /* it is removed, or renamed */
};

/* An access of a path, in IIIIIIII.accesses: one behind the other, appended before the access. What
 * is not whole at the end counts for nothing. There is one for each path between two MPI calls,
 * another one when it is changed behind a read, and one each time that the access finds something
 * else than the one before, or changes the name; that is said again when it is done. */
struct ft_undo_access {
    uint64_t time;     /* CLOCK_MONOTONIC, nanoseconds */
    uint64_t moment;   /* 1 + MPI calls that the rank had entered, polls apart */
    uint64_t look;     /* which of the path's accesses of this moment it is: ft_undo_look */
    uint64_t checksum; /* XXH3-64 of all its bytes, with checksum 0 */
    uint32_t bytes;    /* with the path, its 0, and zeros up to a multiple of 8 */
    uint32_t change;   /* enum ft_access_change */
    uint32_t late;     /* 1: in place of what is listed as that one, when libc has found otherwise,
                          or has made, removed or renamed the path */
    uint32_t needs;    /* enum ft_access_needs */
    uint32_t found;    /* likewise: what was there when a change was told of, or 0 */
    uint32_t pad;
    uint64_t seen; /* of a change of the name, and of a reading of the names in a folder: the
                      folder's time of modification then, nanoseconds; else 0 */
    char path[];
};

/* An access that has its turn, in the file `turns` of the folder of a rank that goes back: one
 * behind the other (putback/turns.c writes, files/settle_list.c reads). */
struct ft_undo_turn {
    uint64_t moment, look; /* as in the list of accesses */
    uint32_t number;       /* of the access */
    uint32_t change;       /* as in the list of accesses */
    uint32_t waits;        /* 0: others wait for it, and it for nobody */
    uint32_t needs;        /* as in the list of accesses */
    uint32_t bytes;
    uint32_t pad;
    char path[];
};

/* Of what a program does with a path between two MPI calls, how often it makes or removes it does
 * not depend on others, but it may look more or less often before. So looks are counted from there.
 */
static inline uint64_t ft_undo_look(uint32_t names, uint32_t looks)
{
    return (uint64_t)names << 32 | looks;
}

static inline uint32_t ft_undo_names(uint64_t look)
{
    return (uint32_t)(look >> 32);
}

/* Stands before a path in `unsettled` */
#define FT_UNSETTLED_READ "r"   /* that will be read again, */
#define FT_UNSETTLED_STAYED "s" /* or of a folder that was to go, and is not empty */

/* Folder beside the ranks' ones: a file for each new folder that stayed when all went back to one
 * moment. Its name is XXH3-64 of the path, hexadecimal; who makes the folder again removes it. */
#define FT_UNDO_STAYS_FOLDER "stayed"
#define FT_UNDO_STAYS_NAME "%016llx"

#define FT_UNDO_READS ".reads"
#define FT_UNDO_ACCESSES ".accesses"

/* What /proc has behind the path of an open file that has no name. Where there is no folder for
 * such files, one in memory stands in; its path tells that it is the program's. */
#define FT_NAMELESS_SUFFIX " (deleted)"
#define FT_NAMELESS_MEMORY "/memfd:ft-nameless"

static inline uint32_t ft_undo_entry_bytes(uint32_t path, uint32_t target)
{
    return ((uint32_t)sizeof(struct ft_undo_entry) + path + target + 7) & ~7U;
}

#endif
