-- carriers: ways from a store to a sink. Each makes a new int v of the old one so that its lowest bit
-- still tells the old one's ("same"), or of nothing that is not known before ("nothing").
return {
    {name = "none", effect = "same", code = ""},
}
