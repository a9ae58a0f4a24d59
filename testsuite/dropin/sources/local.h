static inline const char *local_name(void)
{
    int unused;
    return __FILE__;
}
