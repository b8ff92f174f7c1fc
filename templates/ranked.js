// The address keeps what was chosen, and two ticked rows are compared. Without it all choices work.
(() => {
  const board = document.querySelector("#board");
  const verdict = document.querySelector("#verdict");
  const hint = verdict.textContent;
  const rows = [...board.querySelectorAll("td input")];
  const chip = (input) => input.nextSibling;
  const detail = (input) => chip(input).nextSibling.firstChild.data;
  const name = (input) => `${chip(input).textContent} (${detail(input)})`;
  // A machine has a row for each of its devices.
  const address = (input) => chip(input).getAttribute("href").replace("html", detail(input).split(" · ").join("-"));
  const written = (value) => (value < 100 ? value.toPrecision(2) : Number(value.toPrecision(2)).toLocaleString("en"));
  // Both intervals together: the factor is decided where they do not overlap, as ranks are.
  const compare = ([one, other]) => {
    const [a, b] = [one, other].map((input) => input.value.split("/").map(Number));
    const factor = (x, y) => ("less" in board.dataset ? y / x : x / y);
    const ends = [factor(a[1], b[2]), factor(a[2], b[1])].sort((x, y) => x - y);
    const range = `${written(ends[0])}–${written(ends[1])}×`;
    if (ends[0] <= 1 && ends[1] >= 1) return `Whether ${name(one)} and ${name(other)} differ is undecided (${range}).`;
    const phrase = board.dataset.phrase.replace("{}", `${written(factor(a[0], b[0]))}×`);
    return `${name(one)} ${phrase} ${name(other)} (${range}).`;
  };
  const state = () => {
    const wanted = new URLSearchParams();
    for (const choice of board.querySelectorAll("fieldset :checked")) if (choice.value) wanted.set(choice.name, choice.value);
    const ticked = rows.filter((input) => input.checked).map(address);
    if (ticked.length) wanted.set("c", ticked.join(" "));
    return wanted.size ? `#${wanted}` : "";
  };
  const keep = () => {
    history.replaceState(null, "", state() || location.pathname);
    for (const link of board.querySelectorAll("nav a")) link.hash = state();
    const ticked = rows.filter((input) => input.checked);
    verdict.textContent = ticked.length === 2 ? compare(ticked) : hint;
  };
  const apply = () => {
    const wanted = new URLSearchParams(location.hash.slice(1));
    for (const choice of board.querySelectorAll("fieldset input")) choice.checked = choice.value === (wanted.get(choice.name) ?? "");
    const ticked = (wanted.get("c") ?? "").split(" ");
    for (const input of rows) input.checked = ticked.includes(address(input));
    keep();
  };
  board.addEventListener("change", keep);
  addEventListener("hashchange", apply);
  apply();
})();
