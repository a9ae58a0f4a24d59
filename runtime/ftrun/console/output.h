/* output: what the ranks print reaches ftrun's own stdout and stderr exactly once.
 *
 * Each stream (rank, 1 or 2) is a sequence of lines. Two points run along it: the front, up to
 * which the present life's bytes were taken, and the mark, up to which bytes were written for the
 * user in any life. A rollback moves the front back and never the mark; bytes between front and
 * mark are swallowed, and their lines compared with those that were written. Marks lie in memory
 * that the caller maps from the store, so they survive ftrun itself.
 *
 * With hold, a line is written only when a checkpoint that follows it is committed.
 * Thread rule: single threaded. Writing never blocks for longer than one chunk. */
#ifndef FT_OUTPUT_H
#define FT_OUTPUT_H

#include "ignore/ignore.h"

#include <stddef.h>
#include <stdint.h>
#include "console/marks.h"
#include "store/store.h"

struct ft_output;

struct ft_output_options {
    int size;         /* ranks */
    int fds[2];       /* where stdout and stderr go */
    const int *files; /* [2 * size] the file of a stream instead (console/files.h), -1: none; NULL:
                         no stream has one */
    int prepend;      /* each line begins with "[RANK] " */
    int hold;         /* --output=commit */
    const struct ft_ignore
        *ignore; /* what may differ in a line (--ignore); the caller's; NULL: nothing */
    /* [2 * size], written after each write(2) for a stream; zeros or those of an earlier ftrun; the
     * caller's. */
    struct ft_mark_record *marks;
    /* A line came out differently when it was executed again; called once per run. */
    void (*differs)(void *context, int rank, int stream, uint64_t line);
    /* fds[stream] takes nothing any more, by errno, and what follows is lost; called once for each.
     */
    void (*lost)(void *context, int stream, int error);
    /* There is no memory for what the rank has printed: of that stream nothing more is taken, and
     * no position, before a rollback. Called once for each. */
    void (*torn)(void *context, int rank);
    void *context;
};

enum { FT_OUTPUT_IDLE_MS = 100 }; /* a partial line is written after so long without more */

/* 0, -ENOMEM, or -EBADMSG: marks are damaged. */
int ft_output_create(const struct ft_output_options *options, struct ft_output **out);
/* One for the second copies of the ranks (--replicas), to the same descriptors: what one copy has
 * written is swallowed when the other one brings it, and compared. `output` outlives it. 0 or
 * -ENOMEM. */
int ft_output_copy(const struct ft_output *output, struct ft_output **out);
void ft_output_destroy(struct ft_output *output); /* NULL is allowed */
/* Takes bytes that arrived from a rank (stream 0: stdout, 1: stderr) and writes what may be
 * written. Without memory for them: see torn. */
void ft_output_feed(struct ft_output *output, int rank, int stream, const char *bytes,
                    size_t length);
/* on: what arrives from now on waits; a rollback drops it. Off: it may be written. At the end it is
 * written like all else. */
void ft_output_detain(struct ft_output *output, int rank, int stream, int on);
/* Drops what waits so, and lets what follows go. */
void ft_output_discard(struct ft_output *output, int rank, int stream);
/* Writes what waits for a slow reader. Returns 1 when something still waits. */
int ft_output_pump(struct ft_output *output);
int ft_output_waits(const struct ft_output *output, int fd_index); /* for a slow reader of fds[i] */
int ft_output_is_full(
    const struct ft_output *output); /* so much waits that no more should be fed */
/* Lets partial lines go that got nothing new since the last call, but for those that are to begin
 * with a rank. Returns 1 when some remain. */
int ft_output_idle(struct ft_output *output);

/* Where a stream stands; text is a copy. With hold, the bytes so far belong to the checkpoint that
 * is being taken. 0 or -ENOMEM. */
int ft_output_position(struct ft_output *output, int rank, int stream, struct ft_position *out);
/* The checkpoint of the rank's last positions is committed; lines before `oldest` (two positions,
 * of the oldest kept checkpoint) will not be executed again. */
void ft_output_commit(struct ft_output *output, int rank, const struct ft_position *oldest);
/* The stream rolls back to a position of a committed checkpoint; NULL: to its beginning. With
 * hold, lines before it wait for the next commit, unless they were released by its own. 0 or
 * -ENOMEM, and nothing is taken, as behind torn. */
int ft_output_rollback(struct ft_output *output, int rank, int stream,
                       const struct ft_position *position, int released);
/* From here on nothing is written: everything is swallowed and compared, and `differs` is called
 * for the first difference since this call, a line too many included. */
void ft_output_mute(struct ft_output *output);
/* Has some stream fewer lines than were written? Then which, and the first line that is missing. */
int ft_output_is_short(const struct ft_output *output, int *rank, int *stream, uint64_t *line);
/* on: the job is to be continued from the checkpoint of the last positions. Output that comes
 * from now on waits, and at the end it is dropped. Off: it may be written. */
void ft_output_stop(struct ft_output *output, int on);
/* The ranks print nothing any more, and all output may be written. One exception: with hold, if
 * the job can be continued, stdout that no commit has released stays back, because the continued
 * job prints it. The program's stderr is never kept back. ft_output_pump writes it. */
void ft_output_end(struct ft_output *output, int continues);

#endif
