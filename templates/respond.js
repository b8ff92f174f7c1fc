// Tables that a reader sorts and filters, and what is chosen of several, in a state that the address
// keeps; values of marks; one device set off in all figures. Without it all is there, and a mark's
// title tells its value.
(() => {
  const every = (selector, root = document) => [...root.querySelectorAll(selector)];
  const make = (tag, properties, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };
  const state = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  // What an address asks for is seen, however deep it is folded.
  const reveal = (element) => {
    for (let fold = element.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  };
  const change = (name, value, step = "pushState") => {
    const next = state();
    if (value) next.set(name, value); else next.delete(name);
    history[step](null, "", `#${next}`);
    apply();
  };

  // A column of numbers is sorted by their values, any other by its words.
  const tables = every(".table[id]").map((place) => {
    const bodies = [...place.querySelector("table").tBodies].map((body) => ({
      body, rows: [...body.rows].filter((row) => !row.matches(".group")),
    }));
    return { place, bodies, rows: bodies.flatMap((each) => each.rows), heads: every("thead th", place) };
  });
  for (const { place, rows, heads } of tables) {
    if (rows.length < 3 || place.matches(".verdicts")) continue;
    for (const [column, head] of heads.entries()) {
      const known = !head.matches(".n") || rows.some((row) => row.cells[column]?.dataset.value);
      if (!known || !head.textContent.trim()) continue;
      const button = make("button", { type: "button", className: "sort" }, ...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "" }[head.ariaSort] ?? "ascending";
        change("sort", next && `${place.id} ${column} ${next}`);
      });
    }
  }
  const words = new Intl.Collator("en", { numeric: true });
  const compare = (column, sign) => (one, other) => {
    const cells = [one, other].map((row) => row.cells[column]);
    const [x, y] = cells.map((cell) => parseFloat(cell.dataset.value));
    // What has no number is last both ways.
    if (isNaN(x) !== isNaN(y)) return isNaN(x) ? 1 : -1;
    if (!isNaN(x)) return sign * (x - y);
    return sign * words.compare(...cells.map((cell) => cell.textContent.replaceAll(",", "")));
  };
  const sort = () => {
    const [id, column, way] = (state().get("sort") || "").split(" ");
    for (const { place, bodies, heads } of tables) {
      const head = place.id === id ? heads[column] : null;
      if (!head && !heads.some((each) => each.ariaSort)) continue;
      if (head) reveal(place);
      for (const each of heads) each.ariaSort = each === head ? way : null;
      const by = head && compare(column, way === "descending" ? -1 : 1);
      const sorted = bodies.map(({ body, rows }) => ({ body, rows: by ? [...rows].sort(by) : rows }));
      for (const { body, rows } of sorted) body.append(...rows);
      // Groups follow their first rows.
      if (by) sorted.sort((one, other) => by(one.rows[0], other.rows[0]));
      place.querySelector("table").append(...sorted.map((each) => each.body));
    }
  };

  const lines = every(".filter");
  const scopes = lines.map((line) => line.closest("article, main"));
  const filtered = tables.filter(({ place }) => scopes.some((scope) => scope.contains(place)));
  const folds = scopes.flatMap((scope) => every("details:not([open]):has(tbody)", scope));
  const facets = ["device", "verdict", "provenance"];
  const valuesOf = (row, facet) => row.dataset[facet]?.split("\n") || [];
  for (const { bodies, rows } of filtered) {
    for (const { body, rows: own } of bodies) {
      const heading = body.querySelector("tr.group")?.textContent || "";
      for (const row of own) row.words = `${heading} ${row.textContent}`.toLowerCase();
    }
    for (const row of rows) row.facets = facets.filter((facet) => rows.some((each) => each.dataset[facet]));
  }
  const rows = filtered.flatMap((table) => table.rows);
  // Ranked chips: the ratios are to the one that a reader chooses, by their values and ranks.
  const ranked = tables.find(({ place }) => place.id === "ranked");
  const chips = (ranked?.rows || []).map((row, number) => {
    const [head, value, ratio] = row.cells;
    const name = head.querySelector(".value").textContent;
    const [best, worst = best] = head.querySelector(".badge").textContent.split("–").map(Number);
    return { name: `${number + 1}: ${name}`, best, worst, value: +value.dataset.value, place: ratio, text: ratio.innerHTML };
  });
  const related = ranked?.heads[2].textContent;
  const more = chips.length > 1 && chips[0].value >= chips[1].value;
  const relate = () => {
    const base = chips[state().get("to") - 1];
    for (const chip of chips) {
      const ratio = base && (more ? chip.value / base.value : base.value / chip.value);
      const open = base && chip.best <= base.worst && base.best <= chip.worst;
      if (!base) chip.place.innerHTML = chip.text;
      else chip.place.textContent = chip === base ? "1×" : open ? "undecided" : `${+ratio.toPrecision(2)}×`;
    }
    if (ranked) ranked.heads[2].lastChild.textContent = related.replace("first", base?.name.split(": ")[1] ?? "first");
  };
  let opened = false;
  const filter = () => {
    const wanted = state();
    const find = (wanted.get("find") || "").toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = facets.filter((facet) => wanted.get(facet));
    for (const row of rows) {
      row.hidden = !find.every((word) => row.words.includes(word))
        || chosen.some((facet) => row.facets.includes(facet) && !valuesOf(row, facet).includes(wanted.get(facet)));
    }
    for (const { bodies } of filtered) {
      for (const { body, rows: own } of bodies) body.hidden = own.length > 0 && own.every((row) => row.hidden);
    }
    const active = find.length + chosen.length > 0;
    const open = active || wanted.has("to");
    if (open !== opened) for (const fold of folds) fold.open = open;
    opened = open;
    for (const line of lines) {
      for (const field of every("[name]", line)) {
        const value = wanted.get(field.name) || "";
        if (field.value !== value) field.value = value; // a select that is set lays the page out
      }
      line.lastChild.textContent = active ? `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows` : "";
    }
  };
  if ((ranked?.rows ?? rows).length > 5) {
    for (const line of lines) {
      const label = (text, field) => make("label", {}, text, field);
      const field = make("input", { type: "search", name: "find" });
      field.addEventListener("input", () => change("find", field.value, "replaceState"));
      line.append(label("Find in the tables", field));
      for (const facet of facets) {
        const values = new Set(rows.flatMap((row) => valuesOf(row, facet)));
        if (values.size < 2) continue;
        const choice = make("select", { name: facet }, new Option("any", ""), ...[...values].map((value) => new Option(value)));
        choice.addEventListener("change", () => change(facet, choice.value));
        line.append(label(facet[0].toUpperCase() + facet.slice(1), choice));
      }
      if (chips.length > 1) {
        const options = chips.map(({ name }, number) => new Option(name, number + 1));
        const choice = make("select", { name: "to" }, new Option("first", ""), ...options);
        choice.addEventListener("change", () => change("to", choice.value));
        line.append(label("Ratio to", choice));
      }
      line.append(make("output", {}));
    }
  } else for (const line of lines.splice(0)) line.remove();

  // Figures: what is pointed at, or reached by arrow keys, tells its value.
  const tip = make("output", { className: "tip", hidden: true });
  const PARTS = ".chart [data-series], .keys [data-series]";
  const light = (series) => {
    document.body.classList.toggle("lit", Boolean(series));
    for (const each of every(PARTS)) each.classList.toggle("on", each.dataset.series === series);
  };
  const tell = (mark) => {
    tip.hidden = !mark;
    light(mark?.dataset.series);
    if (!mark) return;
    tip.textContent = mark.told;
    const box = mark.getBoundingClientRect();
    tip.style.left = `${Math.max(4, Math.min(box.x, innerWidth - tip.offsetWidth - 4))}px`;
    tip.style.top = `${box.y < 60 ? box.bottom + 8 : box.y - tip.offsetHeight - 8}px`;
  };
  for (const svg of every(".chart svg:has(* > title)")) {
    const marks = every(":scope * > title", svg).map((title) => {
      const mark = title.parentNode;
      mark.told = title.textContent;
      title.remove();
      return mark;
    });
    let at = 0;
    const step = (by) => tell(marks[at = (at + by + marks.length) % marks.length]);
    svg.tabIndex = 0;
    svg.addEventListener("focus", () => step(0));
    svg.addEventListener("blur", () => tell());
    svg.addEventListener("keydown", ({ key }) => {
      if (key === "ArrowRight") step(1);
      if (key === "ArrowLeft") step(-1);
      if (key === "Escape") tell();
    });
  }
  document.body.append(tip);
  document.addEventListener("pointerover", ({ target }) => {
    if (target.told) tell(target);
    else {
      tip.hidden = true;
      light(target.closest("[data-series]")?.dataset.series);
    }
  });
  for (const key of every(".keys [data-series]")) {
    key.tabIndex = 0;
    key.addEventListener("focus", () => light(key.dataset.series));
    key.addEventListener("blur", () => light());
  }

  const apply = () => { sort(); filter(); relate(); };
  addEventListener("popstate", apply);
  apply();
})();
