#include "heap/alloc_stub.h"

#include <stdlib.h>

#include "process.h"

long stub_blocks;

void *ft_image_alloc(size_t bytes)
{
    stub_blocks++;
    return calloc(1, bytes ? bytes : 1);
}

void *ft_image_room(size_t bytes)
{
    stub_blocks++;
    return malloc(bytes ? bytes : 1);
}

void *ft_image_realloc(void *block, size_t bytes)
{
    stub_blocks += block == NULL;
    return realloc(block, bytes);
}

void ft_image_free(void *block)
{
    stub_blocks -= block != NULL;
    free(block);
}
