/* settle: files that were put back, until the ranks that had changed them are where they were
 * (files/settle.h).
 *
 * The list grows as long as somebody is on the way: who dies again before it has changed a file
 * again leaves no record of it, but others may have been told of that file. A rank is where it was
 * when it has entered as many calls, polls apart, as the longest life before it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "launch/run.h"

/* seconds between two looks at the ranks; where one of them waits for its turn */
static const double look = 0.001, soon = 0.0002;

/* Room for so many bytes more. 0 or -ENOMEM. */
static int grow(struct ft_settle *settle, size_t bytes)
{
    size_t room = 2 * (settle->length + bytes);
    char *text;

    if (settle->length + bytes <= settle->room)
        return 0;
    text = realloc(settle->text, room);
    if (!text)
        return -ENOMEM;
    settle->text = text;
    settle->room = room;
    return 0;
}

static int is_listed(const struct ft_settle *settle, const char *path, size_t bytes)
{
    return settle->length > 0 && memmem(settle->text, settle->length, path, bytes) != NULL;
}

void ft_settle_add(void *context, const char *path)
{
    struct ft_run *run = context;
    struct ft_settle *settle = &run->settle;
    size_t bytes = strlen(path) + 2;
    char *between = malloc(bytes); /* two zeros */

    if (!between || grow(settle, bytes)) {
        settle->failed = 1;
        free(between);
        return;
    }
    between[0] = '\0';
    memcpy(between + 1, path, bytes - 1);
    if (!settle->length)
        settle->begun = ft_loop_now();
    if (!is_listed(settle, between, bytes)) {
        memcpy(settle->text + settle->length, between, bytes);
        settle->length += bytes;
        settle->files++;
    }
    free(between);
}

static int write_list(const struct ft_settle *settle, const char *name)
{
    int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), code = 0;

    if (fd < 0)
        return -errno;
    for (size_t done = 0; !code && done < settle->length;) {
        ssize_t part = write(fd, settle->text + done, settle->length - done);

        if (part < 0)
            code = -errno;
        else
            done += (size_t)part;
    }
    if (close(fd) && !code)
        code = -errno;
    return code;
}

int ft_settle_publish(struct ft_run *run)
{
    struct ft_settle *settle = &run->settle;
    char name[FT_STORE_PATH];
    int code;

    if (!settle->length && !settle->failed)
        return 0;
    ft_store_file(run->store, "undo/unsettled", name);
    code = settle->failed ? -ENOMEM : write_list(settle, name);
    if (!code)
        code = ft_turns_publish(run);
    if (code) {
        ft_say("the list of files that were put back cannot be written: %s: %s", name,
               strerror(-code));
        return code;
    }
    settle->number++;
    return 0;
}

static int is_settled(const struct ft_run *run)
{
    for (int i = 0; i < run->size; i++) {
        const struct ft_member *member = &run->members[i];

        if (!member->ended && ft_progress_of(member->recorder) < member->recorder->reached)
            return 0;
    }
    return 1;
}

static void end(struct ft_run *run)
{
    struct ft_settle *settle = &run->settle;

    for (int i = 0; i < run->size; i++)
        __atomic_store_n(&run->members[i].recorder->unsettled, 0, __ATOMIC_RELEASE);
    ft_events_emit(run->events, "settled", "{s:i, s:f, s:i}", "files", settle->files, "seconds",
                   ft_loop_now() - settle->begun, "epoch", (int)run->epoch);
    settle->length = 0;
    settle->files = 0;
}

static void on_look(void *context)
{
    struct ft_run *run = context;
    int waiting;

    if (run->state != FT_RUN_RUNNING)
        return; /* the next epoch looks again */
    waiting = ft_turns_look(run);
    if (is_settled(run))
        end(run);
    else
        ft_loop_after(run->loop, &run->settle.timer, waiting ? soon : look, on_look, run);
}

uint32_t ft_settle_number(const struct ft_run *run)
{
    return run->settle.length ? run->settle.number : 0;
}

void ft_settle_watch(struct ft_run *run)
{
    if (ft_settle_number(run))
        on_look(run);
}

void ft_settle_free(struct ft_run *run)
{
    free(run->settle.text);
    ft_turns_free(&run->turns);
}
