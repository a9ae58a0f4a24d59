/* std_streams: standard input, output and error of a run. Thread rule: single threaded. */
#ifndef FT_STD_STREAMS_H
#define FT_STD_STREAMS_H

struct ft_run;

/* Makes run->input and run->output. A job that is continued needs the input that its program has
 * read. 0, or the exit code after a message. */
int ft_std_streams_make(struct ft_run *run);

#endif
