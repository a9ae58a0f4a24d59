/* hosts: the nodes that the user names. Pure, but for the file that is read. */
#ifndef FT_HOSTS_H
#define FT_HOSTS_H

#include <stddef.h>

struct ft_host {
    char *name;
    int slots; /* ranks that it takes */
};

struct ft_hosts {
    int count;
    struct ft_host *host; /* [count] */
};

/* Reads "NAME[:SLOTS],...", a node once; 1 slot is what is not said. 0, or -EINVAL or -ENOMEM with
 * a sentence in why[size], and nothing is kept. */
int ft_hosts_read(const char *text, struct ft_hosts *out, char *why, size_t size);
/* The same of a file: one a line, "NAME", "NAME:SLOTS" or "NAME slots=SLOTS", and comments behind
 * #. */
int ft_hosts_read_file(const char *path, struct ft_hosts *out, char *why, size_t size);
void ft_hosts_free(struct ft_hosts *hosts);
/* Places ranks [size] in blocks on the first nodes, `spares` last nodes left out. node[i] is that
 * of rank i. 0, or -EINVAL with a sentence: there is too little room. */
int ft_hosts_place(const struct ft_hosts *hosts, int spares, int size, int *node, char *why,
                   size_t room);

#endif
