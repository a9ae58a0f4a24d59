/* Idea: the symbols of the result say whether there is a layer; who brings it is searched for only
 * to name it. An archive may have one that is not linked. */
#include "ftcc/layer.h"
#include "calls/calls.h"
#include "ftcc/scan.h"
#include "ftcc/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static bool is_among(const char *name, const char *const *names)
{
    for (; *names; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

/* The same answer in each life, and nothing with a handle. */
static const char *const harmless[] = {
    "PMPI_Wtick",       "PMPI_Get_version", "PMPI_Get_library_version", "PMPI_Pcontrol",
    "PMPI_Get_address", "PMPI_Aint_add",    "PMPI_Aint_diff",           NULL};

bool cc_layer_has_part(const char *symbol, bool defined)
{
    if (defined)
        return ft_call_find(symbol) != FT_CALL_NONE;
    return strncmp(symbol, "PMPI_", 5) == 0 && !is_among(symbol, harmless);
}

/* The MPI library and the runtime, which a command may name, are such layers themselves. Some names
 * of the former are links to it. */
static bool is_own(const char *path)
{
    char real[PATH_MAX];
    const char *slash = strrchr(realpath(path, real) ? real : path, '/');
    const char *name = slash ? slash + 1 : path;
    return strncmp(name, "libmpich", 8) == 0 || strncmp(name, "libmpi.so", 9) == 0 ||
           strncmp(name, "libft.so", 8) == 0;
}

static bool source_has(const char *path, const char *symbol)
{
    struct rw_text text;
    if (cc_text_read(path, &text) < 0)
        return false;
    bool has = cc_scan_has_word(&text, symbol);
    free(text.text);
    return has;
}

/* An object of the command, or a source; the result itself where none is found. */
static const char *origin_of(const struct cc_compile *compile, const char *path,
                             const struct cc_binary *result, const UT_array *inputs)
{
    const struct cc_input *input = NULL;
    while ((input = utarray_next((UT_array *)(uintptr_t)inputs, input)))
        if (input->binary.kind != CC_LIBRARY && input->binary.layer)
            return input->path;
    for (unsigned i = 0; i < compile->options->sources; i++)
        if (source_has(compile->jobs[i].path, result->layer))
            return compile->jobs[i].path;
    return path;
}

const char *cc_layer_find(const struct cc_compile *compile, const char *path,
                          const struct cc_binary *result, const UT_array *inputs)
{
    const struct cc_input *input = NULL;
    if (result->kind != CC_EXECUTABLE && result->kind != CC_LIBRARY)
        return NULL;
    if (result->layer)
        return origin_of(compile, path, result, inputs);
    while ((input = utarray_next((UT_array *)(uintptr_t)inputs, input)))
        if (input->binary.kind == CC_LIBRARY && input->binary.layer && !is_own(input->path))
            return input->path;
    return NULL;
}
