/* interval: how long to wait between two checkpoints. Pure. */
#ifndef FT_INTERVAL_H
#define FT_INTERVAL_H

/* Seconds between checkpoints that cost `cost` seconds each, when a failure is expected every
 * `mtbf` seconds: Daly's higher-order form of Young's sqrt(2 C M) (J. T. Daly, Future Generation
 * Computer Systems 22, 2006, eq. 37). At most FT_INTERVAL_MAX, at least FT_INTERVAL_MIN. */
double ft_interval_optimal(double cost, double mtbf);
/* The cost of one checkpoint: the pause, and the part of the writers' time that the program feels.
 */
double ft_interval_cost(double pause, double writing);

#define FT_INTERVAL_MAX 600.0
#define FT_INTERVAL_MIN 0.5

#endif
