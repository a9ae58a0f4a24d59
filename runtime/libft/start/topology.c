/* hwloc examines the machine once in a run.
 *
 * MPICH has hwloc look at the machine in each start, and the most expensive part of that, reading
 * the configuration of all PCI devices, is done by one process at a time, because the
 * kernel admits one. So rank 0 of the first epoch leaves what hwloc found in a memfd of ftrun, as
 * hwloc's own XML, and each later start of the library is given that. It is all
 * that hwloc found, so the library decides what it would have decided.
 *
 * If the MPI library has its own copy of hwloc its calls do not come here, and each start examines
 * the machine.
 */
#include "start/topology.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "os/os.h"

#define IS_THIS_SYSTEM (1UL << 1) /* HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM */

/* In the file: the length, written last and so 0 until all is there; then the XML with its 0. */
struct known {
    uint64_t length;
    char xml[];
};

static _Thread_local const char *shared; /* while the MPI library starts in this thread */
static _Thread_local int finder;

void ft_topology_begin(const char *path, int finds)
{
    shared = path;
    finder = finds;
}

void ft_topology_end(void)
{
    shared = NULL;
}

/* The answer that an earlier epoch has left, or NULL; the caller frees it. */
static struct known *read_known(void)
{
    int fd = open(shared, O_RDONLY | O_CLOEXEC);
    struct known *known = NULL;
    struct stat status;

    if (fd < 0)
        return NULL;
    if (fstat(fd, &status) == 0 && status.st_size > (off_t)sizeof *known)
        known = malloc((size_t)status.st_size);
    if (known != NULL && (read(fd, known, (size_t)status.st_size) != status.st_size ||
                          known->length != (uint64_t)status.st_size - sizeof *known)) {
        free(known);
        known = NULL;
    }
    close(fd);
    return known;
}

static void write_known(const char *xml, uint64_t length)
{
    int fd = open(shared, O_WRONLY | O_CLOEXEC);

    if (fd < 0)
        return;
    if (pwrite(fd, xml, length, sizeof length) == (ssize_t)length)
        (void)!pwrite(fd, &length, sizeof length, 0);
    close(fd);
}

static int give(void *topology, const struct known *known)
{
    int (*set_xml)(void *, const char *, int) =
        (int (*)(void *, const char *, int))ft_os_next_symbol("hwloc_topology_set_xmlbuffer");
    unsigned long (*flags)(void *) =
        (unsigned long (*)(void *))ft_os_next_symbol("hwloc_topology_get_flags");
    int (*set_flags)(void *, unsigned long) =
        (int (*)(void *, unsigned long))ft_os_next_symbol("hwloc_topology_set_flags");

    return set_xml(topology, known->xml, (int)known->length) ||
           set_flags(topology, flags(topology) | IS_THIS_SYSTEM);
}

/* Leaves what hwloc has found, unless the user made it load another machine's description
 * (HWLOC_XMLFILE). */
static void keep(void *topology)
{
    int (*is_this)(void *) = (int (*)(void *))ft_os_next_symbol("hwloc_topology_is_thissystem");
    int (*export_xml)(void *, char **, int *, unsigned long) = (int (*)(
        void *, char **, int *, unsigned long))ft_os_next_symbol("hwloc_topology_export_xmlbuffer");
    void (*free_xml)(void *, char *) =
        (void (*)(void *, char *))ft_os_next_symbol("hwloc_free_xmlbuffer");
    char *xml;
    int length;

    if (!is_this(topology) || export_xml(topology, &xml, &length, 0) != 0)
        return;
    write_known(xml, (uint64_t)length);
    free_xml(topology, xml);
}

int hwloc_topology_load(void *topology);

FT_EXPORT int hwloc_topology_load(void *topology)
{
    int (*next)(void *) = (int (*)(void *))ft_os_next_symbol("hwloc_topology_load");
    struct known *known = shared ? read_known() : NULL;
    int code;

    if (known != NULL && give(topology, known) != 0)
        ft_panic("hwloc rejects its own description of the machine, which an earlier start has "
                 "left: errno %d",
                 errno);
    code = next(topology);
    if (code == 0 && known == NULL && shared && finder)
        keep(topology);
    free(known);
    return code;
}
