/* The standard streams: what 0, 1 and 2 were at the start of a life is the launcher's, whatever the
 * program makes of these numbers. */
#include "files/descriptor.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "files/descriptors.h"
#include "files/files.h"
#include "files/own.h"

static int standard_kept[3] = {-1, -1, -1}; /* copies of this life's 0, 1, 2 */

void files_standard_keep(void)
{
    for (int i = 0; i < 3; i++)
        standard_kept[i] = files_own_copy(i);
}

/* Do two descriptors share one offset? Asks the kernel, and where it does not tell (kcmp is
 * switched off or forbidden), moves one offset and looks at the other. */
int files_is_shared(int a, int b)
{
    long answer = syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, a, b);
    off_t at, other;
    int shared;

    if (answer >= 0)
        return answer == 0;
    at = lseek(a, 0, SEEK_CUR);
    other = lseek(b, 0, SEEK_CUR);
    if (at < 0 || at != other || lseek(a, at + 1, SEEK_SET) < 0)
        return 0;
    shared = lseek(b, 0, SEEK_CUR) == at + 1;
    lseek(a, at, SEEK_SET);
    return shared;
}

/* Which standard stream of this life fd is, or -1. Pipes are recognized by their inode, too: a
 * program may have opened /dev/stdout. */
int files_standard_of(int fd, const struct stat *status)
{
    struct stat kept;

    for (int i = 0; i < 3; i++)
        if (standard_kept[i] >= 0 && fstat(standard_kept[i], &kept) == 0 &&
            kept.st_dev == status->st_dev && kept.st_ino == status->st_ino &&
            (S_ISFIFO(kept.st_mode) || S_ISSOCK(kept.st_mode)
                 ? (fcntl(fd, F_GETFL) & O_ACCMODE) ==
                       (fcntl(standard_kept[i], F_GETFL) & O_ACCMODE)
                 : fd == i ||
                       (fd > 2 && S_ISREG(kept.st_mode) && files_is_shared(fd, standard_kept[i]))))
            return S_ISFIFO(kept.st_mode) && fd < 3 && standard_kept[fd] >= 0 &&
                           files_is_shared(fd, standard_kept[fd])
                       ? fd
                       : i;
    return -1;
}

const int *files_standard_copies(void)
{
    return standard_kept;
}

int files_standard_adopt(const int copy[3])
{
    for (int i = 0; i < 3; i++) {
        int kept = copy[i] < 0 ? -1 : ft_files_own(copy[i]);

        if (kept < -1)
            return kept;
        standard_kept[i] = kept;
    }
    return 0;
}
