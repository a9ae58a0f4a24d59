// The page is complete without this: it only filters the table of sites.
(function () {
    "use strict";
    var form = document.getElementById("filter");
    if (!form)
        return;
    var words = document.getElementById("words");
    var count = document.getElementById("count");
    var boxes = Array.prototype.slice.call(form.querySelectorAll("input[type=checkbox]"));
    var rows = Array.prototype.slice.call(document.querySelectorAll("#table tbody tr"));
    var texts = rows.map(function (row) {
        return row.textContent.toLowerCase();
    });

    function filter() {
        var wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
        var classes = boxes.filter(function (box) {
            return box.checked;
        }).map(function (box) {
            return box.value;
        });
        var shown = 0;
        rows.forEach(function (row, n) {
            var good = classes.indexOf(row.dataset.class) >= 0 && wanted.every(function (word) {
                return texts[n].indexOf(word) >= 0;
            });
            row.hidden = !good;
            shown += good ? 1 : 0;
        });
        count.textContent = shown + " of " + rows.length + " sites";
    }

    form.hidden = false;
    form.addEventListener("input", filter);
    form.addEventListener("submit", function (event) {
        event.preventDefault();
    });
    filter();
}());
