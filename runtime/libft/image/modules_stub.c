/* A shared library with every kind of writable segment, of which modules_test loads many copies. */
__attribute__((visibility("default"))) char *modules_stub_data(void);
__attribute__((visibility("default"))) char *modules_stub_zeros(void);
__attribute__((visibility("default"))) char *modules_stub_thread(void);

static char data[5000] = "data";
static char zeros[20000];
static __thread char thread[100] = "thread";

char *modules_stub_data(void)
{
    return data;
}

char *modules_stub_zeros(void)
{
    return zeros + 10000;
}

char *modules_stub_thread(void)
{
    return thread;
}
