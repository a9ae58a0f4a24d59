#!/bin/bash
# A batch job on several nodes that puts itself back into the queue: sbatch slurm.sh. Shortly before its time is over ftrun
# takes a last checkpoint and ends with 75; when Slurm starts the script again, the run continues.
#SBATCH --job-name=heat
#SBATCH --nodes=4 --ntasks-per-node=16
#SBATCH --time=12:00:00
#SBATCH --no-kill --requeue --open-mode=append
store=$SLURM_SUBMIT_DIR/heat-store # on a file system that all nodes share
if [ -e "$store/lock" ]; then      # an empty folder may stay behind a run that has ended
    ftrun --restart --store "$store" --time-limit slurm
else
    ftrun --store "$store" --time-limit slurm ./heat 4000 1000000
fi
code=$?
[ $code -ne 75 ] || scontrol requeue "$SLURM_JOB_ID"
exit $code
