/* Noting an access: one at a time, whichever thread makes it (access.h). */
#include "files/access.h"

#include <pthread.h>

static pthread_mutex_t record_lock = PTHREAD_MUTEX_INITIALIZER;
static __thread struct files_done_path *accessed;

int files_noting_begin(const struct ft_files *files, enum files_change access)
{
    accessed = NULL;
    if (!files_is_on(files))
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    if (access != NAMED)
        files_access_ends();
    return 1;
}

int files_answer_begin(const struct ft_files *files)
{
    if (!files_is_on(files) || !files_is_listed())
        return 0;
    ft_depth++;
    pthread_mutex_lock(&record_lock);
    return 1;
}

void files_noting_end(void)
{
    pthread_mutex_unlock(&record_lock);
    ft_depth--;
}

struct files_done_path *files_accessed(void)
{
    return accessed;
}

void files_accessed_clear(void)
{
    accessed = NULL;
}

uint64_t files_path_look_next(const struct files_done_path *path)
{
    if (path == NULL || path->last.moment != files_present())
        return ft_undo_look(0, 1);
    return path->last.named ? ft_undo_look(ft_undo_names(path->last.look) + 1, 1)
                            : path->last.look + 1;
}

uint64_t files_look_next(const struct ft_files *files, const char *path)
{
    return files_path_look_next(files_path_find(files, path));
}

void files_path_look(struct files_done_path *path, enum files_change access)
{
    path->last.look = files_path_look_next(path);
    path->last.named = access >= NAMED;
    path->last.needs = access == MADE   ? FT_NEEDS_ABSENCE
                       : access == GONE ? FT_NEEDS_PRESENCE
                                        : FT_NEEDS_NOTHING;
    if (path->last.moment != files_present())
        path->last.counted = 0;
    path->last.moment = files_present();
    accessed = path;
}

void files_access_ends(void)
{
    if (ft_self != NULL && files_is_listed())
        __atomic_store_n(&ft_self->recorder->accessing, FT_ACCESSING_NONE, __ATOMIC_RELEASE);
}

void files_accesses_tell(const struct ft_files *files, enum ft_accessing accessing)
{
    if (ft_self == NULL || !files_is_listed())
        return;
    __atomic_store_n(&ft_self->recorder->accesses, files->accesses, __ATOMIC_RELEASE);
    __atomic_store_n(&ft_self->recorder->accessing, accessing, __ATOMIC_RELEASE);
}

void files_change_count(struct ft_files *files)
{
    uint64_t moment = files_present() << 32;

    if (files->accesses >> 32 != moment >> 32)
        files->accesses = moment;
    files->accesses++;
    files_accesses_tell(files, FT_ACCESSING_COUNTED);
}

void files_change_uncount(struct ft_files *files)
{
    if (files->accesses >> 32 == (uint32_t)files_present()) /* another thread may have called MPI */
        files->accesses--;
    files_accesses_tell(files, FT_ACCESSING_NONE);
}
