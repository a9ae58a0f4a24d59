-- EP without a failure: the points are named, and no pass is meant.
fault.at("FaultReduce", { rank = 1, tag1 = -1 })
