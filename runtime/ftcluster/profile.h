/* profile: who sends how much to whom, as `ftrun --profile` writes it (docs/formats/profile.md).
 *
 * Thread rule: none of these functions shares state. */
#ifndef FT_PROFILE_H
#define FT_PROFILE_H

#include <stddef.h>
#include <stdint.h>

struct ft_profile_edge { /* what one rank has sent to one other */
    int from, to;
    uint64_t messages, bytes;
};

struct ft_profile {
    int ranks;
    double seconds; /* that the program ran */
    size_t count;
    struct ft_profile_edge *edge; /* [count], each pair at most once */
};

/* Reads a file. Returns 0, or -1 with a sentence in why (512 bytes) and *profile unchanged. The
 * caller calls ft_profile_free. */
int ft_profile_read(const char *path, struct ft_profile *profile, char *why);
void ft_profile_free(struct ft_profile *profile);

#endif
