/* words: files of 64-bit words that ranks leave beside their images for ranks of other clusters:
 * a magic number, how many words follow, and those. Written by raw calls alone, from the clone that
 * writes an image. Nobody outside runtime/libft/stream includes this. */
#ifndef FT_WORDS_H
#define FT_WORDS_H

#include <stddef.h>
#include <stdint.h>

enum { FT_WORDS_BUFFER = 4096 };

struct ft_words {
    int fd, code; /* 0 or -errno */
    unsigned used;
    uint64_t word[FT_WORDS_BUFFER];
};

/* Begins a file: `count` words follow. */
void ft_words_begin(struct ft_words *words, int fd, uint64_t magic, uint64_t count);
void ft_words_put(void *words, uint64_t word);
/* 0 or -errno. */
int ft_words_end(struct ft_words *words);
/* The words behind the first two, from malloc, in *out; or -errno, -EBADMSG when the file is not
 * what it should be. */
int ft_words_read(int fd, uint64_t magic, uint64_t **out, size_t *count);

#endif
