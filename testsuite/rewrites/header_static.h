/* A variable that each file has for itself, and a function that changes it. */
static int turns;

static inline void turn(void)
{
    turns++;
}
