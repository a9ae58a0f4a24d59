/* Open MPI needs variables at its start, and the functions of PMI-1 (library.h).
 *
 * Open MPI 4.1 speaks to its process manager by one of several components. That of Flux loads a
 * library with the functions of PMI-1 (Balaji et al., EuroMPI 2010) and calls those: here it gets
 * libft.so, whose functions below speak to ftrun as MPICH's library does (ftrun/host/pmi.h). So
 * ftrun is the process manager of both, and needs no server of PMIx.
 *
 * Thread rule: the library calls them one at a time, while it starts. */
#include "library/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"

enum { PMI_SUCCESS = 0, PMI_FAIL = -1 };
enum { NAME_BYTES = 256, KEY_BYTES = 64, VALUE_BYTES = 1024, LINE_BYTES = 2048 }; /* hydra's */

static char line[LINE_BYTES]; /* the last answer */

/* ---- The variables ---- */

/* UCX moves the messages, as it does for MPICH, between processes of one machine, too: without this
 * Open MPI would take it for networks alone. No other transport makes shared memory of its own, no
 * folder is made, and libc is not patched. UCX serves windows, too: osc/rdma looks for a transport
 * of its own, and osc/pt2pt stands still in MPI_Win_flush. */
const char *const *ft_library_variables(void)
{
    static char path[4096];
    static const char *const list[] = {"FLUX_JOB_ID=1",
                                       path,
                                       "OMPI_MCA_schizo=flux",
                                       "OMPI_MCA_ess=pmi",
                                       "OMPI_MCA_pmix=flux",
                                       "OMPI_MCA_pml=ucx",
                                       "OMPI_MCA_pml_ucx_tls=any",
                                       "OMPI_MCA_pml_ucx_devices=any",
                                       "OMPI_MCA_btl=self",
                                       "OMPI_MCA_osc=ucx,sm",
                                       "OMPI_MCA_patcher=^overwrite",
                                       "OMPI_MCA_orte_create_session_dirs=0",
                                       NULL};
    Dl_info info;

    if (dladdr(line, &info) == 0)
        ft_panic("the place of libft.so is not known");
    snprintf(path, sizeof path, "FLUX_PMI_LIBRARY_PATH=%s", info.dli_fname);
    return list;
}

/* Predefined objects: ompi_mpi_comm_world and its kin. */
int ft_library_owns(const char *symbol)
{
    return strncmp(symbol, "ompi_", 5) == 0;
}

/* ---- The connection ---- */

static int number(const char *name)
{
    const char *text = getenv(name);

    return text ? atoi(text) : -1;
}

static int send_all(int fd, const char *text, size_t length)
{
    ssize_t part;

    for (; length > 0; text += part, length -= (size_t)part) {
        part = write(fd, text, length);
        if (part < 0 && errno != EINTR)
            return PMI_FAIL;
        if (part < 0)
            part = 0;
    }
    return PMI_SUCCESS;
}

static int receive_line(int fd)
{
    size_t length = 0;
    ssize_t part;

    while (length == 0 || line[length - 1] != '\n') {
        part = read(fd, line + length, sizeof line - 1 - length);
        if (part == 0 || (part < 0 && errno != EINTR))
            return PMI_FAIL;
        if (part > 0)
            length += (size_t)part;
    }
    line[length - 1] = 0;
    return PMI_SUCCESS;
}

/* One request and its answer, which begins with `answer`. */
static int ask(const char *request, const char *answer)
{
    int fd = number("PMI_FD");

    if (send_all(fd, request, strlen(request)) != PMI_SUCCESS || receive_line(fd) != PMI_SUCCESS)
        return PMI_FAIL;
    return strncmp(line, answer, strlen(answer)) == 0 ? PMI_SUCCESS : PMI_FAIL;
}

/* ---- The functions of PMI-1 that the component looks for ---- */

static int open_; /* 1: PMI_Init was called */

#define PMI(name, ...)                                                                             \
    int PMI_##name(__VA_ARGS__);                                                                   \
    FT_EXPORT int PMI_##name(__VA_ARGS__)

PMI(Init, int *spawned)
{
    *spawned = 0;
    if (ask("cmd=init pmi_version=1 pmi_subversion=1\n", "cmd=response_to_init") != PMI_SUCCESS)
        return PMI_FAIL;
    open_ = 1;
    return PMI_SUCCESS;
}

PMI(Initialized, int *initialized)
{
    *initialized = open_;
    return PMI_SUCCESS;
}

PMI(Finalize, void)
{
    return PMI_SUCCESS;
}

PMI(Get_size, int *size)
{
    *size = number("PMI_SIZE");
    return PMI_SUCCESS;
}

PMI(Get_universe_size, int *size)
{
    return PMI_Get_size(size);
}

PMI(Get_rank, int *rank)
{
    *rank = number("PMI_RANK");
    return PMI_SUCCESS;
}

PMI(Get_appnum, int *appnum)
{
    *appnum = 0;
    return PMI_SUCCESS;
}

PMI(Barrier, void)
{
    return ask("cmd=barrier_in\n", "cmd=barrier_out");
}

PMI(Abort, int code, const char *text)
{
    fprintf(stderr, "%s\n", text);
    _exit(code);
}

PMI(KVS_Get_my_name, char *name, int length)
{
    snprintf(name, (size_t)length, "ftrun");
    return PMI_SUCCESS;
}

PMI(KVS_Get_name_length_max, int *length)
{
    *length = NAME_BYTES;
    return PMI_SUCCESS;
}

PMI(KVS_Get_key_length_max, int *length)
{
    *length = KEY_BYTES;
    return PMI_SUCCESS;
}

PMI(KVS_Get_value_length_max, int *length)
{
    *length = VALUE_BYTES;
    return PMI_SUCCESS;
}

PMI(KVS_Put, const char *space, const char *key, const char *value)
{
    char request[LINE_BYTES];

    snprintf(request, sizeof request, "cmd=put kvsname=%s key=%s value=%s\n", space, key, value);
    return ask(request, "cmd=put_result rc=0");
}

PMI(KVS_Commit, const char *space)
{
    (void)space;
    return PMI_SUCCESS;
}

PMI(KVS_Get, const char *space, const char *key, char *value, int length)
{
    char request[LINE_BYTES];
    const char *found;

    snprintf(request, sizeof request, "cmd=get kvsname=%s key=%s\n", space, key);
    if (ask(request, "cmd=get_result rc=0") != PMI_SUCCESS ||
        (found = strstr(line, "value=")) == NULL)
        return PMI_FAIL;
    snprintf(value, (size_t)length, "%s", found + strlen("value="));
    return PMI_SUCCESS;
}

/* All ranks are on this machine. */
PMI(Get_clique_size, int *size)
{
    return PMI_Get_size(size);
}

PMI(Get_clique_ranks, int *ranks, int length)
{
    for (int i = 0; i < length; i++)
        ranks[i] = i;
    return PMI_SUCCESS;
}
