(function () {
  var box = document.getElementById("cutoffs"), data = JSON.parse(document.getElementById("cutoff-data").textContent);
  var slider = box.querySelector("[name=at]"), cost = box.querySelector("[name=cost]");
  function share(part, whole) { return whole ? (100 * part / whole).toFixed(1) + " %" : "–"; }
  function costs(at, each) { return each * (data.positives - data.found[at]) + data.false[at]; }
  function show() {
    var at = +slider.value, each = Math.max(0, +cost.value || 0), found = data.found[at], wrong = data.false[at], least = 0;
    for (var here in data.found) if (costs(here, each) < costs(least, each)) least = here;
    var told = {
      at: (at / 100).toFixed(2), found: found, missed: data.positives - found, wrong: wrong, left: data.negatives - wrong,
      recall: share(found, data.positives), precision: share(found, found + wrong),
      right: share(found + data.negatives - wrong, data.positives + data.negatives),
      cost: +costs(at, each).toFixed(2), least: (least / 100).toFixed(2), lowest: +costs(least, each).toFixed(2)
    };
    for (var name in told) box.querySelector("[data-of=" + name + "]").textContent = told[name];
  }
  slider.oninput = cost.oninput = show;
  box.hidden = false;
  show();
})();
