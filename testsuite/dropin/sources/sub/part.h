#include "near.h"
const char *part_name(void);
void part_run(int steps);
