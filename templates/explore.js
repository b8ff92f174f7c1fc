// A figure becomes one to move about in when its button is pressed; until then nothing runs.
(() => {
  const unpacked = async (node) => {
    const bytes = Uint8Array.from(atob(node.textContent.trim()), (each) => each.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Response(stream).text();
  };
  let waking;
  const wake = async () => {
    const script = document.createElement("script");
    script.textContent = await unpacked(document.getElementById("vega-engine"));
    document.head.append(script);
    return self.accelreportVega;
  };
  if (!("DecompressionStream" in self)) return;
  for (const packed of document.querySelectorAll("script[data-figure]")) {
    const figure = document.getElementById(packed.dataset.figure);
    const button = document.createElement("button");
    button.type = "button";
    button.className = "explore";
    button.textContent = "Explore: values on pointing, drag and wheel to zoom";
    figure.querySelector(".panels, .views").before(button);
    button.addEventListener("click", async () => {
      button.disabled = true;
      const draw = await (waking ??= wake());
      const specs = JSON.parse(await unpacked(packed));
      const charts = figure.querySelectorAll(".chart");
      for (const [number, spec] of specs.entries()) {
        const chart = charts[number];
        const still = chart.querySelector(".wide svg").viewBox.baseVal.width;
        spec.width += chart.clientWidth - still;
        const place = document.createElement("div");
        place.className = "moving";
        place.setAttribute("role", "img");
        place.setAttribute("aria-label", chart.querySelector("title").textContent);
        await draw(place, spec, {
          actions: false, ast: true, defaultStyle: false, renderer: "svg",
          tooltip: { disableDefaultStyle: true },
        });
        chart.replaceChildren(place);
      }
      button.textContent = "Double-click a chart to see all of it again";
    });
  }
})();
