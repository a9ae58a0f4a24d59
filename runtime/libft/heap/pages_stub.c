/* pages_stub: pages of the image for tests that link a log and take no image. */
#include <stdlib.h>

#include "image/apart.h"
#include "process.h"

void *ft_image_pages(size_t bytes)
{
    return calloc(1, bytes);
}

void ft_image_pages_free(void *pages, size_t bytes)
{
    (void)bytes;
    free(pages);
}

void ft_image_pages_touch(void *pages, size_t bytes)
{
    (void)pages, (void)bytes;
}

void ft_image_pages_drop(void *pages, size_t bytes)
{
    (void)pages, (void)bytes;
}

void ft_image_pages_apart(void *pages, size_t bytes)
{
    (void)pages, (void)bytes;
}

int ft_apart_is_read(void)
{
    return 1;
}
