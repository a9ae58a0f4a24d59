/* store: the folder where a job's checkpoints lie, and the manifest that makes each of them valid.
 *
 *     STORE/lock                held with flock by the ftrun that uses the store; its word says
 *                               that the folder is one
 *     STORE/environ             the ranks' environment, as /proc/PID/environ writes it
 *     STORE/output, STORE/stdin what was emitted, what was read (console/output.c, console/input.c)
 *     STORE/changes, STORE/copy-1/    with --replicas: changes of files that ranks have begun
 *                               (changes.c), and the store of the second team (copies.c)
 *     STORE/undo/rank-R/        undo records of files (runtime/libft/files)
 *     STORE/log/rank-R/         what does not fit into the memory of a log (stream/spill.c)
 *     STORE/trace/run-K/        what the runs of a verification did (recover/verify_runs.c)
 *     STORE/ckpt-K.tmp/         a checkpoint that is being written
 *     STORE/ckpt-K/             a committed checkpoint: rank-R.img and manifest.json; log/rank-R/:
 * of one of all ranks, what lies in STORE/log/rank-R/ at that moment
 *
 * Invariant: a folder without ".tmp" holds a complete manifest and every image that it names; the
 * rename of the folder is the commit. docs/formats/manifest.md describes the manifest.
 * Everything is private to the user (0700, 0600). Thread rule: single threaded. */
#ifndef FT_STORE_H
#define FT_STORE_H

#include <stdint.h>
#include <stddef.h>

#define FT_MANIFEST_VERSION 6
#define FT_STORE_PATH 3072         /* bytes of a path inside a store, with its 0 (FT_WIRE_PATH) */
#define FT_STORE_WHY 512           /* bytes of a reason, with its 0 */
#define FT_STORE_STANDARD ".ftrun" /* the folder of stores that nobody has named */

struct ft_store; /* an open, locked store */

struct ft_position {  /* one stream of one rank at a checkpoint */
    uint64_t lines;   /* complete lines that had been passed on */
    uint64_t partial; /* bytes of the line after them that had been passed on */
    uint64_t pending; /* bytes that the rank had written beyond that */
    char *text;       /* the pending bytes; owned by the position */
};

struct ft_manifest_rank {
    int32_t rank;
    uint64_t hooks;        /* hook counter in the image */
    uint64_t bytes;        /* of the image file */
    uint64_t checksum;     /* XXH3-64 of the image file */
    uint32_t order;        /* generation of the recorder that the rank had answered */
    uint64_t determinants; /* of this rank that lie before the image; 0 without clusters */
    uint64_t trail;        /* marks (determinant/trail.h), likewise */
    int32_t cluster;       /* that it was in at the start of the job; 0 without clusters */
    uint64_t progress;     /* ft_progress_of its recorder; not in the file */
};

struct ft_manifest {
    uint32_t checkpoint;            /* its number */
    int32_t size;                   /* ranks of the job */
    int32_t count;                  /* ranks of this checkpoint: those of a cluster, or all */
    int32_t cluster;                /* its number, or the lowest of several; -1: no clusters */
    uint64_t build;                 /* hash of the executable's build id */
    uint64_t stack_limit;           /* RLIMIT_STACK of the ranks */
    uint64_t environment;           /* XXH3-64 of STORE/environ */
    uint64_t input;                 /* bytes of standard input that rank 0 had consumed */
    int continues;                  /* 1: of all ranks, and the job can be continued from it */
    int nameless;                   /* 1: of all ranks, and several clusters have a file without a
                                       name open: all roll back to it, or none */
    int near;                       /* 1: the images are not in the store, but on the nodes, */
    char *local;                    /* in this folder; NULL: the job has none, */
    char *levels;                   /* as --levels says; NULL likewise */
    int replicas;                   /* 1: the ranks had two copies each, */
    uint64_t changes;               /* which had begun so many changes of files */
    int unsettled;                  /* then files were to be written again; not in the file */
    double frozen;                  /* its moment, CLOCK_MONOTONIC, s; not in the file */
    char *program;                  /* the file that is executed */
    char *cwd;                      /* working directory of the ranks at their start */
    char **argv;                    /* NULL-terminated */
    uint32_t patterns;              /* entries of pattern */
    uint32_t *pattern;              /* that the ranks believe (--trust) */
    struct ft_manifest_rank *ranks; /* [count], rising */
    struct ft_position *output;     /* [2 * count]: stdout of ranks[i] at 2i, stderr at 2i + 1 */
};

/* Opens the store at `path`, creating it and the folders above when create is set, and locks it.
 * Errors, with a sentence in why: -EBUSY another ftrun uses it, -ENOTEMPTY it is
 * somebody else's folder, -ENODATA it is an empty one, -ENOENT, -EACCES, -ENOTDIR ... */
int ft_store_open(const char *path, int create, struct ft_store **out, char *why);
/* Unlocks and closes. remove: deletes what the store holds, and the folder when it was created by
 * this open, or lies in FT_STORE_STANDARD, which goes, too, when no other one is in it. NULL is
 * allowed. */
void ft_store_close(struct ft_store *store, int remove);
const char *ft_store_path(const struct ft_store *store); /* absolute */
/* Writes "STORE/name" into out (FT_STORE_PATH bytes). */
void ft_store_file(const struct ft_store *store, const char *name, char *out);
/* The path of a rank's image; temporary: in the folder that is being written. */
void ft_store_image(const struct ft_store *store, uint32_t checkpoint, int rank, int temporary,
                    char *out);

/* Makes the folder ckpt-K.tmp. 0 or -errno. */
int ft_store_begin(struct ft_store *store, uint32_t checkpoint);
/* Sets ckpt-K.tmp aside, for ft_store_clear. 1, or 0: it is not there, or stays. */
int ft_store_discard(const struct ft_store *store, uint32_t checkpoint);
/* Writes the manifest into ckpt-K.tmp, syncs it, and renames the folder. On failure -errno, and the
 * temporary folder is still there. */
int ft_store_commit(struct ft_store *store, const struct ft_manifest *manifest);
/* Puts on the disk which names the folder holds. 0 or -errno. */
int ft_store_sync(const char *path);
/* Gives a committed checkpoint another manifest, or none where that cannot be written. 0: nobody
 * finds the one before, also after a crash of the machine; or -errno: somebody may. */
int ft_store_amend(const struct ft_store *store, const struct ft_manifest *manifest);
/* The committed checkpoint K is none from which a job is continued: its manifest says so from
 * now on, or there is none, where it is damaged or no other one can be written. 0, also after a
 * crash of the machine; or -errno with a sentence in why: it may be one yet. */
int ft_store_renounce(const struct ft_store *store, uint32_t checkpoint, char *why);
/* Sets the committed checkpoint K aside, as ft_store_discard. */
int ft_store_drop(const struct ft_store *store, uint32_t checkpoint);
/* Removes what was set aside, which takes the time that the file system needs for the images. */
void ft_store_clear(const struct ft_store *store);
/* The same, and the folders of checkpoints that were never committed. */
void ft_store_sweep(const struct ft_store *store);
/* Removes all that an earlier job has left, and nothing that a store has not. */
void ft_store_empty(const struct ft_store *store);
/* Numbers of the committed checkpoints, newest first; *numbers is owned by the caller. Returns how
 * many, or -errno, and *numbers is NULL. */
int ft_store_list(const struct ft_store *store, uint32_t **numbers);
/* Reads the manifest of K and checks that its images are there with the sizes it names, unless
 * they lie on the nodes. With a
 * sentence in why: -EBADMSG, the checkpoint is damaged, or another -errno: it could not be looked
 * at, and nothing is known of it. */
int ft_store_load(const struct ft_store *store, uint32_t checkpoint, struct ft_manifest **out,
                  char *why);

/* Links what lies in STORE/log/rank-R, if anything, into ckpt-K.tmp, and syncs it. 0 or -errno. */
int ft_store_save_log(const struct ft_store *store, uint32_t checkpoint, int rank);
/* Puts what ckpt-K has of it there, and nothing else. 0 or -errno. */
int ft_store_restore_log(const struct ft_store *store, uint32_t checkpoint, int rank);
/* Copies it to STORE/log/rank-R of another store, which has none. 0 or -errno. */
int ft_store_lend_log(const struct ft_store *store, uint32_t checkpoint, int rank,
                      const struct ft_store *to);

/* changes.c: maps STORE/changes, of a new job zeros. Its descriptor; or -errno: -EBADMSG, it has
 * another length. */
int ft_store_map_changes(const struct ft_store *store, int size, int create, uint64_t **counts);
/* The sum over all ranks. 0 or -errno. */
int ft_store_count_changes(const struct ft_store *store, int size, uint64_t *count);

/* copies.c: the path of the second team's store. */
void ft_store_second(const struct ft_store *store, char *out);
/* Moves the checkpoints of the second team, if there is one, to those of the first. 0, or -errno
 * with a sentence in why. */
int ft_store_adopt(const struct ft_store *store, char *why);

/* An image of a rank's other copy, with which this copy begins on another node (--replicas). */
enum ft_store_lent {
    FT_STORE_ORIGIN, /* that of the first copy's first checkpoint */
    FT_STORE_CROSSED /* that of a checkpoint of the living copy */
};
/* Makes the folder for it. 0 or -errno. */
int ft_store_make_lent(const struct ft_store *store, int rank);
/* Links the image, which its own store may drop. 0 or -errno. */
int ft_store_lend_image(const char *image, const struct ft_store *to, int rank,
                        enum ft_store_lent kind);
void ft_store_lent_image(const struct ft_store *store, int rank, enum ft_store_lent kind,
                         char *out);

/* Makes an empty manifest for `count` ranks of `size`, without clusters; NULL: no memory. */
struct ft_manifest *ft_manifest_create(int32_t size, int32_t count);
void ft_manifest_destroy(struct ft_manifest *manifest); /* NULL is allowed */
/* A copy with some of its ranks, which it has, and without patterns; NULL: no memory. */
struct ft_manifest *ft_manifest_part(const struct ft_manifest *whole, int cluster,
                                     const int32_t *ranks, int count);
/* Writes to, reads from one file. 0 or -errno; read: with a sentence in why, -EBADMSG where it is
 * missing or no manifest, another -errno where it could not be read. */
int ft_manifest_write(const struct ft_manifest *manifest, const char *path);
int ft_manifest_read(const char *path, struct ft_manifest **out, char *why);

/* Copies a position, text included. 0 or -ENOMEM. */
int ft_position_copy(const struct ft_position *from, struct ft_position *to);

#endif
