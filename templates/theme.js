// A reader's choice of colours is kept, where the browser lets a page keep anything.
(() => {
  const name = "accelreport-theme";
  let kept;
  try { kept = localStorage.getItem(name); } catch { kept = null; }
  for (const choice of document.querySelectorAll("input[name=theme]")) {
    if (choice.id === kept) choice.checked = true;
    choice.addEventListener("change", () => {
      try { localStorage.setItem(name, choice.id); } catch { kept = null; }
    });
  }
})();
