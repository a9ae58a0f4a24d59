/* Closed forms (forms.h). */
#include "ftsim/forms.h"
#include <math.h>

double sim_form_daly(double work, double interval, double write, double restart, double mtbf)
{
    return mtbf * exp(restart / mtbf) * expm1((interval + write) / mtbf) * work / interval;
}

double sim_form_young_interval(double write, double mtbf)
{
    return sqrt(2 * write * mtbf);
}

double sim_form_daly_interval(double write, double mtbf)
{
    double ratio = write / (2 * mtbf);

    if (ratio >= 1)
        return mtbf;
    return sqrt(2 * write * mtbf) * (1 + sqrt(ratio) / 3 + ratio / 9) - write;
}

/* The sum of equation 1 is Ramanujan's Q(n); its terms shrink so fast that it ends early. */
double sim_form_ferreira(double pairs)
{
    double term = 1, sum = 1;

    for (double k = 1; k <= pairs && term > 1e-12; k++) {
        term *= (pairs - k + 1) / pairs;
        sum += term;
    }
    return sum;
}

double sim_form_casanova(double pairs)
{
    return 1 + sqrt(M_PI * pairs);
}

double sim_form_riesen(double work, double interval, double restart, double mtbf)
{
    double lost = interval / (1.5 * mtbf) + restart / mtbf;

    return lost < 1 ? work / (1 - lost) : INFINITY;
}
