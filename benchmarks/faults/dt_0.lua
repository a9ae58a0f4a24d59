-- DT without a failure: the points are named, and no pass is meant.
fault.at("PRE_WORK", { rank = 1, tag2 = -1 })
