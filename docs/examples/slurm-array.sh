#!/bin/bash
# An array of jobs, one at a time, each of which continues the one before: sbatch slurm-array.sh. It needs no requeue, which
# some sites forbid. When the program has ended, the jobs that are left are taken out of the queue.
#SBATCH --job-name=heat
#SBATCH --array=1-20%1
#SBATCH --nodes=4 --ntasks-per-node=16
#SBATCH --time=12:00:00
#SBATCH --no-kill --open-mode=append --output=heat-%A.out
store=$SLURM_SUBMIT_DIR/heat-store-$SLURM_ARRAY_JOB_ID # on a file system that all nodes share
if [ -e "$store/lock" ]; then
    ftrun --restart --store "$store" --time-limit slurm
else
    ftrun --store "$store" --time-limit slurm ./heat 4000 1000000
fi
code=$?
[ $code -ne 75 ] || exit 0 # the next job continues
scancel --state=PENDING "$SLURM_ARRAY_JOB_ID"
exit $code
