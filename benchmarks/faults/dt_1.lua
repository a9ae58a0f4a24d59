-- DT, one failure: rank 1 has made the values of a node in step 2, and has not sent them.
fault.at("POST_WORK", { rank = 1, tag2 = 2 })
