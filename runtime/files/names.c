/* The names in a folder: a path of their own, which is read. */
#include "files/record.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "files/access.h"
#include "files/note.h"
#include "files/put.h"
#include "files/resolve.h"

static int note_names(struct ft_files *files, int folder_fd, const char *path)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;

    if (fstatat(folder_fd, path, &status, 0) != 0 || !S_ISDIR(status.st_mode) ||
        files_names_of(folder_fd, path, resolved) != 0)
        return 0; /* the call itself will fail, and say why */
    return files_path_note(files, resolved, &status, NULL, FILES_READ, FILES_READ);
}

int files_note_names(struct ft_files *files, int folder_fd, const char *path)
{
    int code;

    if (!files_noting_begin(files, FILES_READ))
        return 0;
    code = note_names(files, folder_fd, path);
    files_noting_end();
    return code;
}

static int names_end(const struct ft_files *files, const char *name, const struct stat *status)
{
    const struct found now = files_found_of(status, 1);
    struct files_done_path *path = files_path_find(files, name);

    if (path == NULL || path->last.moment != files_present() || !files_is_news(&path->done, &now))
        return 0;
    path->done.found = now;
    return files_access_write(files, path->path,
                              &(struct ft_undo_access){.moment = files_present(),
                                                       .look = path->last.look,
                                                       .change = FT_ACCESS_READ,
                                                       .needs = FT_NEEDS_PRESENCE,
                                                       .late = 1,
                                                       .seen = files_time_of(status)});
}

int files_note_names_end(struct ft_files *files, int folder_fd, const char *path)
{
    char resolved[FT_UNDO_PATH];
    struct stat status;
    int code = 0;

    if (!files_answer_begin(files))
        return 0;
    if (fstatat(folder_fd, path, &status, 0) == 0 && S_ISDIR(status.st_mode) &&
        files_names_of(folder_fd, path, resolved) == 0)
        code = names_end(files, resolved, &status);
    files_noting_end();
    return code;
}
