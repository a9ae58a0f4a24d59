/* The state of this process (process.h). */
#include "process.h"

struct ft_rank *ft_self;
struct ft_life ft_life = {.control = -1};
__thread int ft_depth __attribute__((tls_model("initial-exec"))) = 1;
FT_EXPORT __thread unsigned ft_site;
