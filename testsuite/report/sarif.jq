# Conditions of a SARIF log that a schema cannot express: each line of output is a fault.
#
# Numbers of rules and files lead to the thing that is named beside them, notifications to what the
# tool declares, no two results of the log are one, and no region ends before it begins. (3.27.6,
# 3.4.5, 3.58.2, 3.27.17, 3.30)
.runs[]
| . as $run
| (.tool.driver.rules | map(.id)) as $rules
| (.tool.driver.notifications | map(.id)) as $notifications
| (.artifacts | map(.location)) as $artifacts
| ( .results[]
    | select($rules[.ruleIndex] != .ruleId)
    | "rule \(.ruleIndex) is not \(.ruleId)" ),
  ( ($rules | group_by(.)[] | select(length > 1) | "rule \(.[0]) twice") ),
  ( .results | map(.partialFingerprints) | group_by(.)[] | select(length > 1)
    | "\(length) results are \(.[0])" ),
  ( .. | objects | select(has("index") and has("uri"))
    | . as $location
    | select($artifacts[.index] != $location)
    | "file \(.index) is not \(.uri)" ),
  ( .. | objects | select(has("uri") and has("index") and ((.uri | startswith("file:")) == has("uriBaseId")))
    | "\(.uri) is relative to \(.uriBaseId)" ),
  ( .. | objects | select(has("endLine"))
    | select([.endLine, .endColumn] < [.startLine, .startColumn])
    | "a region from \(.startLine):\(.startColumn) to \(.endLine):\(.endColumn)" ),
  ( .invocations[].toolExecutionNotifications[].descriptor.id as $id
    | select($notifications | index($id) | not)
    | "notification \($id) is not declared" )
