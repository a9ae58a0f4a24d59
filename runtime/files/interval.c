/* What is on record begins anew: at a checkpoint, and in a new life. */
#include "files/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/access.h"
#include "files/put.h"

/* Gives the records of an interval that never became a checkpoint to the one before it. */
static void interval_merge(const struct ft_files *files, uint32_t from, uint32_t to)
{
    char old[FT_WIRE_PATH + FT_UNDO_NAME], new[FT_WIRE_PATH + FT_UNDO_NAME];

    files_lists_merge(from, to);
    for (uint64_t sequence = files->first; sequence < files->sequence; sequence++) {
        files_record_name(old, sizeof old, from, sequence, ".data");
        files_record_name(new, sizeof new, to, sequence, ".data");
        rename(old, new);
        files_record_name(old, sizeof old, from, sequence, ".undo");
        files_record_name(new, sizeof new, to, sequence, ".undo");
        rename(old, new);
    }
}

void files_record_interval(struct ft_files *files, uint32_t interval)
{
    if (files_is_on(files) && files->interval == interval && interval > 0)
        interval_merge(files, interval, interval - 1);
    files->interval = interval;
    files->first = files->sequence;
    files_accessed_clear();
    files_done_clear(files, files_present());
}

void files_record_forget(struct ft_files *files, uint64_t calls)
{
    files_accessed_clear();
    files_done_clear(files, files_moment_behind(calls));
}

int files_record_sizes(struct ft_files *files, const struct files_size *size, int count)
{
    size_t length = sizeof(struct ft_undo_head), room = length;
    char *record;
    int code;

    if (!files_is_on(files) || count == 0)
        return 0;
    for (int i = 0; i < count; i++)
        room += sizeof(struct ft_undo_entry) + strlen(size[i].path) + 16;
    record = calloc(1, room);
    if (record == NULL)
        return -ENOMEM;
    for (int i = 0; i < count; i++) {
        struct ft_undo_entry entry = files_entry_of(&size[i].status, FT_UNDO_SIZE);
        struct files_done_path *path = files_path_make(files, size[i].path);

        length += files_entry_put(record + length, &entry, size[i].path, NULL);
        path->done.change = FILES_GROW;
        files_inode_make(files, &size[i].status, path)->done.change = FILES_GROW;
    }
    code = files_record_publish(files, record, length, (uint32_t)count);
    free(record);
    return code;
}
