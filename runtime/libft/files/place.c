/* place: does a file lie where all nodes see it?
 *
 * ftrun puts files back from its own machine, and a rank that is moved has to find them. The store
 * of the checkpoints is seen by all nodes, so what lies on the same file system is, too; and what
 * lies on one that is known to be of several machines. */
#include "files/place.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "process.h"

static int is_network(const struct statfs *system)
{
    static const uint32_t types[] = {0x00006969 /* NFS */,  0x0BD00BD0 /* Lustre */,
                                     0x47504653 /* GPFS */, 0x19830326 /* BeeGFS */,
                                     0x00C36400 /* Ceph */, 0x65735546 /* FUSE */,
                                     0xFE534D42 /* SMB */,  0xFF534D42 /* CIFS */,
                                     0x01021997 /* 9P */,   0x20030528 /* OrangeFS */,
                                     0x5346414F /* AFS */,  0xAAD7AAEA /* PanFS */,
                                     0x01161970 /* GFS2 */, 0x7461636F /* OCFS2 */};

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if ((uint32_t)system->f_type == types[i])
            return 1;
    return 0;
}

int files_is_everywhere(const char *name)
{
    char folder[PATH_MAX];
    struct stat own, store;
    struct statfs system;
    char *end;

    strncpy(folder, name, sizeof folder - 1);
    folder[sizeof folder - 1] = 0;
    do { /* the deepest folder that is there */
        end = strrchr(folder, '/');
        if (end == NULL)
            return 1;
        end[end == folder] = 0;
    } while (stat(folder, &own) != 0 && end != folder);
    if (stat(ft_life.boot.undo, &store) != 0 || own.st_dev == store.st_dev)
        return 1;
    return statfs(folder, &system) != 0 || is_network(&system);
}
