-- EP, one failure: rank 1 dies before the final sums.
fault.at("FaultReduce", { rank = 1 })
