-- DT, two failures: rank 1 dies before its work in step 2, rank 2 when a node of it has received all in step 4.
fault.at("PRE_WORK", { rank = 1, tag2 = 2 })
fault.at("FAULT_P2_POST_RECV_RESULTS", { rank = 2, tag2 = 4 })
