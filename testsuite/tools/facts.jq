# facts.jq: the sites and findings of a report as lines for expect.lua.
(.patterns | map({(.id): .separated_by}) | add // {}) as $separations |
(.sites[] |
    ["site", .file, .line, .column, .class, (.wildcard | join(", ")),
     ([if .override then "override" else empty end,
       if .pattern then "pattern " + ($separations[.pattern] // "unlisted") else empty end] | join(", ")),
     .reason]),
(.findings[] | ["finding", .file, .line, .rule, .message]) | @tsv
