/* interval: Young's and Daly's optimum.
 *
 *     T = sqrt(2 C M) (1 + sqrt(C / (2 M)) / 3 + C / (18 M)) - C     for C < 2 M
 *     T = M                                                         otherwise */
#include <math.h>
#include "commit/interval.h"

/* The writers are idle-priority copies of the ranks on the same cores and disks; half of their time
 * is what the heat program of benchmarks/ lost at most while they ran. */
static const double writer_share = 0.5;

double ft_interval_cost(double pause, double writing)
{
    return pause + writer_share * writing;
}

double ft_interval_optimal(double cost, double mtbf)
{
    double interval = mtbf;

    if (cost < 2 * mtbf) {
        double root = sqrt(cost / (2 * mtbf));

        interval = sqrt(2 * cost * mtbf) * (1 + root / 3 + root * root / 9) - cost;
    }
    return fmin(fmax(interval, FT_INTERVAL_MIN), FT_INTERVAL_MAX);
}
