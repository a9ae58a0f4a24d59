#ifndef NEAR_H
#define NEAR_H
static inline const char *near_name(void)
{
    return __FILE__;
}
#endif
