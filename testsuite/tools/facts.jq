# facts.jq: the sites and findings of a report as lines for expect.lua. A finding about a site stands at
# that site, wherever its message points to.
(.patterns | map({(.id): .separated_by}) | add // {}) as $separations |
(.sites | map({(.id): {file, line}}) | add // {}) as $places |
(.sites[] |
    ["site", .file, .line, .column, .class, (.wildcard | join(", ")),
     ([if .override then "override" else empty end,
       if .pattern then "pattern " + ($separations[.pattern] // "unlisted") else empty end] | join(", ")),
     .reason]),
(.findings[] | ($places[.site // "none"] // {file, line}) as $place |
    ["finding", $place.file, $place.line, .rule, .message]) | @tsv
