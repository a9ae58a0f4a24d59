/* topology FILE: what hwloc finds out about this machine, as XML. Ranks that read it
 * (HWLOC_XMLFILE) do not ask each PCI device, one rank at a time. */
#include <hwloc.h>
#include <hwloc/export.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    hwloc_topology_t topology;

    if (argc != 2 || hwloc_topology_init(&topology) != 0 ||
        hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) != 0 ||
        hwloc_topology_load(topology) != 0 ||
        hwloc_topology_export_xml(topology, argv[1], 0) != 0) {
        fprintf(stderr, "topology FILE: no topology\n");
        return 1;
    }
    hwloc_topology_destroy(topology);
    return 0;
}
