-- EP, two failures: rank 1 dies before the final sums, and again while it computes its last step (of 16) anew. That needs
-- that checkpoints lie further apart than the last step takes.
fault.at("FaultReduce", { rank = 1 })
fault.at("FaultRecover", { rank = 1, tag1 = 15, call = 2 })
