#include <stdio.h>

int plain(void)
{
    int sum = 0;
    for (int i = 0; i < 3; i++)
        sum += printf("%s\n", __FILE__);
    return sum;
}
