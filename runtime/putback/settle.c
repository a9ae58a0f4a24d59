/* settle: files that were put back, until the ranks that had changed them are where they were
 * (files/settle.h).
 *
 * The list grows as long as somebody is on the way: who dies again before it has changed a file
 * again leaves no record of it, but others may have been told of that file. A rank is where it was
 * when it has entered as many calls, polls apart, as the longest life before it, and has behind it
 * what that had accessed since.
 *
 * What ranks that go back have read, or looked for in vain, they will ask for again: until then it
 * stays as it is. Such paths stand in the list with FT_UNSETTLED_READ before them, and only changes
 * wait. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uthash.h>
#include "files/format.h"
#include "putback/putback.h"

/* seconds between two looks at the ranks: behind a turn, and longer and longer, up to */
static const double soon = 0.00005, look = 0.001;
static const double spell = 0.0001; /* seconds that ftrun looks without a pause */

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

struct ft_listed {
    UT_hash_handle hh;
    char text[]; /* a mark and a path */
};

/* Is it new? */
static int know(struct ft_settle *settle, const char *text)
{
    struct ft_listed *found;

    HASH_FIND_STR(settle->listed, text, found);
    if (found)
        return 0;
    found = malloc(sizeof(*found) + strlen(text) + 1);
    if (!found) {
        settle->failed = 1;
        return 0;
    }
    strcpy(found->text, text);
    HASH_ADD_STR(settle->listed, text, found);
    return 1;
}

static void forget(struct ft_settle *settle)
{
    struct ft_listed *listed, *next;

    HASH_ITER (hh, settle->listed, listed, next) {
        HASH_DEL(settle->listed, listed);
        free(listed);
    }
    settle->length = 0;
    settle->files = 0;
}

/* mark: "", FT_UNSETTLED_READ or FT_UNSETTLED_STAYED. Returns whether the path is new. */
static int list_add(struct ft_settle *settle, const char *mark, const char *path)
{
    char text[FT_UNDO_PATH + 1];
    size_t bytes = (size_t)snprintf(text, sizeof(text), "%s%s", mark, path) + 2;

    if (!know(settle, text))
        return 0;
    if (grow(settle, bytes)) {
        settle->failed = 1;
        return 0;
    }
    if (!settle->length)
        settle->begun = ft_loop_now();
    settle->text[settle->length] = '\0'; /* between two zeros */
    memcpy(settle->text + settle->length + 1, text, bytes - 1);
    settle->length += bytes;
    return 1;
}

static void folder_forget(struct ft_listed **folders, const char *path)
{
    struct ft_listed *found;

    HASH_FIND_STR(*folders, path, found);
    if (!found)
        return;
    HASH_DEL(*folders, found);
    free(found);
}

static void folder_note(struct ft_settle *settle, struct ft_listed **folders, const char *path)
{
    struct ft_listed *noted = malloc(sizeof(*noted) + strlen(path) + 1);

    if (!noted) {
        settle->failed = 1;
        return;
    }
    folder_forget(folders, path);
    strcpy(noted->text, path);
    HASH_ADD_STR(*folders, text, noted);
}

int ft_settle_add(void *context, const char *path, enum ft_undo_fate fate)
{
    struct ft_run *run = context;
    struct ft_settle *settle = &run->settle;

    if (fate >= FT_UNDO_GOES)
        return fate == FT_UNDO_NEEDED || ft_folder_is_used(run, path);
    if (fate == FT_UNDO_PENDING) /* which tells what the folder is to be */
        folder_forget(&settle->lent, path);
    else
        list_add(settle, FT_UNSETTLED_STAYED, path);
    if (fate == FT_UNDO_LENT)
        folder_note(settle, &settle->lent, path);
    if (fate == FT_UNDO_STAYED)
        folder_note(settle, &settle->stayed, path);
    else
        settle->files += list_add(settle, "", path);
    return 0;
}

static void folders_forget(struct ft_listed **folders)
{
    struct ft_listed *folder, *next;

    HASH_ITER (hh, *folders, folder, next) {
        HASH_DEL(*folders, folder);
        free(folder);
    }
}

/* Those that are empty go, inner ones first. */
static void empty_take(struct ft_listed *folders)
{
    int taken = 1;

    while (taken) {
        taken = 0;
        for (struct ft_listed *folder = folders; folder; folder = folder->hh.next)
            taken |= rmdir(folder->text) == 0;
    }
}

static void folders_take(struct ft_listed **folders)
{
    empty_take(*folders);
    folders_forget(folders);
}

void ft_settle_afresh(struct ft_run *run)
{
    struct stat status;

    empty_take(run->settle.stayed);
    for (struct ft_listed *each = run->settle.stayed; each; each = each->hh.next) {
        if (!lstat(each->text, &status) && S_ISDIR(status.st_mode))
            ft_folder_stay(run, each->text);
    }
    folders_forget(&run->settle.stayed);
    folders_forget(&run->settle.lent);
}

static void add_read(void *context, const char *path)
{
    list_add(context, FT_UNSETTLED_READ, path);
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

    code = ft_turns_doubt(run);
    ft_turns_forget_past(run);
    if (!code)
        code = ft_turns_sort(&run->turns);
    if (!code)
        ft_turns_read(&run->turns, add_read, settle);
    if (!code && !settle->length && !settle->failed)
        return 0;
    ft_store_file(run->store, "undo/unsettled", name);
    if (!code)
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
        if (!run->members[i].ended && !ft_is_where_it_was(run->members[i].recorder))
            return 0;
    }
    return 1;
}

static void end(struct ft_run *run)
{
    struct ft_settle *settle = &run->settle;

    folders_take(&settle->lent); /* before anybody looks again */
    folders_forget(&settle->stayed);
    for (int i = 0; i < run->size; i++)
        __atomic_store_n(&run->members[i].recorder->unsettled, 0, __ATOMIC_RELEASE);
    ft_events_emit(run->events, "settled", "{s:i, s:f, s:i}", "files", settle->files, "seconds",
                   ft_loop_now() - settle->begun, "epoch", (int)run->epoch);
    forget(settle);
}

/* Whose turn it is does one access, and then the next one waits for its own: right behind a turn
 * ftrun does not sleep while somebody waits. */
static enum ft_turns_found look_on(struct ft_run *run)
{
    double until = ft_loop_now() + (run->settle.pause <= soon ? spell : 0);
    enum ft_turns_found found, granted = FT_TURNS_NONE;

    do {
        found = ft_turns_look(run);
        granted = found == FT_TURNS_GRANTED ? found : granted;
    } while (found != FT_TURNS_NONE && ft_loop_now() < until && sched_yield() == 0);
    return granted ? granted : found;
}

static double pause_after(struct ft_settle *settle, enum ft_turns_found found)
{
    double longer = 2 * settle->pause;

    settle->pause = found == FT_TURNS_GRANTED ? soon : longer < look ? longer : look;
    return settle->pause;
}

static void on_look(void *context)
{
    struct ft_run *run = context;
    enum ft_turns_found found;

    if (run->state != FT_RUN_RUNNING)
        return; /* the next epoch looks again */
    found = look_on(run);
    if (is_settled(run))
        end(run);
    else
        ft_loop_after(run->loop, &run->settle.timer, pause_after(&run->settle, found), on_look,
                      run);
}

uint32_t ft_settle_number(const struct ft_run *run)
{
    return run->settle.length ? run->settle.number : 0;
}

void ft_settle_watch(struct ft_run *run)
{
    run->settle.pause = soon;
    if (ft_settle_number(run))
        on_look(run);
}

void ft_settle_free(struct ft_run *run)
{
    folders_take(&run->settle.lent);
    folders_forget(&run->settle.stayed);
    forget(&run->settle);
    free(run->settle.text);
    ft_turns_free(&run->turns);
}
