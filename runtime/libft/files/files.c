/* The room's door (files.h). */
#include "files/files.h"

#include <stdio.h>
#include <string.h>

#include "files/aio.h"
#include "files/descriptors.h"
#include "files/record.h"

void ft_files_start(struct ft_rank *self)
{
    files_standard_keep();
    self->files = ft_image_alloc(sizeof *self->files);
}

void ft_files_hold(struct ft_rank *self)
{
    self->files->held = files_descriptors_list(self->files);
}

int ft_files_save(struct ft_rank *self, uint32_t number)
{
    files_record_interval(self->files, number + 1);
    return self->files->held ? self->files->held : files_descriptors_record(self->files);
}

int ft_files_leave(struct ft_rank *self)
{
    return files_descriptors_list(self->files);
}

int ft_files_keep_open(struct ft_rank *self, int control)
{
    return files_descriptors_keep_open(self->files, control);
}

static int explain(int code, const char *what, char *reason)
{
    if (code != 0)
        snprintf(reason, FT_FILES_REASON, "%s: %s", what, strerror(-code));
    return code;
}

int ft_files_restore(struct ft_rank *self, char *reason)
{
    int code;

    if (ft_life.boot.survivor == FT_SURVIVOR_EXEC)
        return explain(files_descriptors_adopt(self->files), "open files cannot be kept", reason);
    files_standard_keep();
    code = files_descriptors_restore(self, reason);
    if (code != 0 || ft_life.boot.survivor != FT_SURVIVOR_NONE)
        return code;
    files_record_forget(self->files);
    self->recorder->changes = self->files->changes;
    return explain(files_descriptors_record(self->files),
                   "what it changes in files cannot be recorded in the store", reason);
}

void ft_files_opened(struct ft_rank *self)
{
    files_descriptors_met(self->files);
}

const char *ft_files_obstacle(struct ft_rank *self)
{
    static char reason[128];
    const char *call = files_aio_call();

    if (call == NULL)
        return files_descriptors_obstacle(self);
    snprintf(reason, sizeof reason,
             "an asynchronous request of the program is under way (%s): wait for it before the "
             "next checkpoint",
             call);
    return reason;
}
