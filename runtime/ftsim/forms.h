/* forms: closed forms that simulations are held against. Times are in one unit, whichever. */
#ifndef SIM_FORMS_H
#define SIM_FORMS_H

/* Daly (2006), equation 20: the time that `work` takes with checkpoints of `write` each `interval`,
 * restarts of `restart`, and exponential failures with mean `mtbf`. */
double sim_form_daly(double work, double interval, double write, double restart, double mtbf);
/* Daly (2006), equation 37: the interval that makes it shortest. */
double sim_form_daly_interval(double write, double mtbf);
double sim_form_young_interval(double write, double mtbf); /* Young (1974) */
/* Failures until both copies of one of `pairs` ranks are dead. Ferreira et al. (SC'11), equation 1,
 * which lets dead copies die again; and Casanova et al. (2012), which does not. */
double sim_form_ferreira(double pairs);
double sim_form_casanova(double pairs);
/* Riesen et al. (SC'12): the time of a job under the combined protocol. */
double sim_form_riesen(double work, double interval, double restart, double mtbf);

#endif
