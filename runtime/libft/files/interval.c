/* Recording begins anew: at a checkpoint, and in a new life (record.h). */
#include "files/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/done.h"
#include "files/put.h"

static void rename_or_end(const char *old, const char *new)
{
    if (rename(old, new) != 0)
        ft_panic("%s cannot be kept: %s", old, strerror(errno));
}

/* The copy has both names until the record has its new one, because the rank may be killed at any
 * moment. Most records have none. */
static void record_merge(uint32_t from, uint32_t to, uint64_t sequence)
{
    char data[FT_WIRE_PATH + FT_UNDO_NAME], old[FT_WIRE_PATH + FT_UNDO_NAME],
        new[FT_WIRE_PATH + FT_UNDO_NAME];
    int linked;

    files_record_name(data, sizeof data, from, sequence, ".data");
    files_record_name(new, sizeof new, to, sequence, ".data");
    linked = link(data, new) == 0;
    if (!linked && errno != ENOENT)
        rename_or_end(data, new); /* a file system without links */
    files_record_name(old, sizeof old, from, sequence, ".undo");
    files_record_name(new, sizeof new, to, sequence, ".undo");
    rename_or_end(old, new);
    if (linked)
        unlink(data);
}

/* Gives the records of an interval that never became a checkpoint to the one before it. */
static void interval_merge(const struct ft_files *files, uint32_t from, uint32_t to)
{
    files_reads_merge(from, to);
    for (uint64_t sequence = files->first; sequence < files->sequence; sequence++)
        record_merge(from, to, sequence);
}

void files_record_interval(struct ft_files *files, uint32_t interval)
{
    if (files_is_on(files) && files->interval == interval && interval > 0)
        interval_merge(files, interval, interval - 1);
    files->interval = interval;
    files->first = files->sequence;
    files_done_clear(files);
}

void files_record_forget(struct ft_files *files)
{
    files_done_clear(files);
}

int files_record_sizes(struct ft_files *files, const struct files_size *size, int count)
{
    size_t length = sizeof(struct ft_undo_head), room = length;
    struct files_done_inode *inode;
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
        length += files_entry_put(record + length, &entry, size[i].path, NULL);
        files_path_make(files, size[i].path)->change = FILES_GROW;
        inode = files_inode_make(files, &size[i].status);
        inode->change = FILES_GROW;
        inode->size = size[i].status.st_size;
    }
    code = files_record_publish(files, record, length, (uint32_t)count);
    free(record);
    return code;
}
