/* alloc_stub: memory of the image for tests that take no image. */
#include <stdlib.h>

#include "process.h"

void *ft_image_alloc(size_t bytes)
{
    return calloc(1, bytes ? bytes : 1);
}

void *ft_image_room(size_t bytes)
{
    return malloc(bytes ? bytes : 1);
}

void *ft_image_realloc(void *block, size_t bytes)
{
    return realloc(block, bytes);
}

void ft_image_free(void *block)
{
    free(block);
}
