# places.jq: the patterns, hooks and holes of a report as lines for people.
(.patterns[] |
    "pattern in \(.function): \(.begin.line) to \(.end.line), by \(.separated_by)" +
    (if .name then ", \"\(.name)\"" else "" end) +
    (if .annotated then "" else ", not annotated" end) + (if .trusted then "" else ", not trusted" end)),
(.sites[] | select(.logged) | "logged: \(.line)"),
(.hooks[] | (if .chosen then "hook" else "no hook" end) + " in \(.function): \(.line)"),
(if .program.no_hook then "no hook" else empty end),
(.coverage.holes[] | "not seen: \(.kind)" + (if .line then " \(.line)" else "" end) + (if .name then " \(.name)" else "" end))
