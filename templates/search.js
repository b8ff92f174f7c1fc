// A field that leaves only the rows in which every word is found. Without it all are there.
(() => {
  const front = document.getElementById("benchmarks") || document.getElementById("main");
  const groups = [...front.querySelectorAll("table tbody")];
  const rows = groups.flatMap((body) => {
    const heading = body.querySelector("tr.group");
    const before = heading ? heading.textContent + " " : "";
    return [...body.querySelectorAll("tr:not(.group)")].map((row) => ({
      row, body, text: (before + row.textContent).toLowerCase(),
    }));
  });
  if (rows.length < 6) return;
  const folds = [...front.querySelectorAll("details:not([open]):has(tbody)")];
  const field = document.createElement("input");
  field.type = "search";
  field.id = "filter";
  const label = document.createElement("label");
  label.htmlFor = "filter";
  label.textContent = "Find in the tables";
  const said = document.createElement("output");
  said.htmlFor = "filter";
  const line = document.createElement("p");
  line.className = "filter";
  line.append(label, field, said);
  front.querySelector("header").append(line);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const each of rows) {
      each.row.hidden = !words.every((word) => each.text.includes(word));
      found += !each.row.hidden;
    }
    for (const fold of folds) fold.open = words.length > 0;
    for (const body of groups) {
      const own = rows.filter((each) => each.body === body);
      body.hidden = own.length > 0 && own.every((each) => each.row.hidden);
    }
    said.textContent = words.length ? `${found} of ${rows.length} rows` : "";
  });
})();
