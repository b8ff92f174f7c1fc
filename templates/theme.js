// A reader's choice of colours is kept, where the browser lets a page keep anything, and open
// pages follow it.
(() => {
  const name = "accelreport-theme";
  const choices = [...document.querySelectorAll("input[name=theme]")];
  const choose = (id) => {
    for (const choice of choices) if (choice.id === id) choice.checked = true;
  };
  let kept;
  try { kept = localStorage.getItem(name); } catch { kept = null; }
  choose(kept);
  for (const choice of choices) {
    choice.addEventListener("change", () => {
      try { localStorage.setItem(name, choice.id); } catch { kept = null; }
    });
  }
  addEventListener("storage", (event) => {
    if (event.key === name) choose(event.newValue);
  });
})();
