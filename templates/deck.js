// Slides by keyboard and by swipe, the presenter's notes, and a second window in step.
// Without it the deck scrolls, and the notes can be opened under each slide.
(() => {
  const root = document.documentElement;
  const get = (id) => document.getElementById(id);
  const slides = [...document.querySelectorAll(".slide")];
  const panel = get("presenter");
  const second = "accelreport-audience";
  // Pages on the disk have no origin to name; nothing but a slide's id is ever sent.
  const origin = location.protocol === "file:" ? "*" : location.origin;
  const telephone = matchMedia("(max-width: 40rem)");
  let other = window.name === second ? window.opener : null;
  let now = 0;
  let began = 0;
  let naming = 0;

  const title = (slide) => slide.querySelector("h1, h2").textContent;

  const tell = () => {
    if (other) other.postMessage({ deck: location.pathname, slide: slides[now].id }, origin);
  };

  const mark = () => {
    // Browsers stop a page that names its place too often, as a key held down would.
    clearTimeout(naming);
    naming = setTimeout(() => history.replaceState(null, "", `#${slides[now].id}`), 120);
    get("place").textContent = `Slide ${now + 1} of ${slides.length}`;
    get("next").textContent = now + 1 < slides.length ? title(slides[now + 1]) : "the end";
    const notes = slides[now].querySelector(".speech > div");
    get("told").replaceChildren(...(notes ? notes.cloneNode(true).childNodes : []));
    get("told").scrollTop = 0;
  };

  const place = () => slides[now].scrollIntoView({ behavior: "instant", block: "start" });

  const show = (index, told = false) => {
    now = Math.max(0, Math.min(slides.length - 1, index));
    place();
    slides[now].focus({ preventScroll: true });
    mark();
    if (!told) tell();
  };

  const on = () => show(now + 1);
  const back = () => show(now - 1);

  const tick = () => {
    const seconds = began ? Math.floor((Date.now() - began) / 1000) : 0;
    const minutes = Math.floor(seconds / 60);
    get("elapsed").textContent = `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
  };

  const present = (on) => {
    root.classList.toggle("presenting", on);
    panel.hidden = !on;
    if (on && !began) {
      began = Date.now();
      setInterval(tick, 1000);
    }
    place();
  };

  const open = () => {
    other = window.open(location.href, second, "popup,width=1280,height=720");
    get("refused").textContent = other ? "" : "The browser keeps second windows away.";
    present(true);
  };

  const whole = () => {
    const done = document.fullscreenElement ? document.exitFullscreen() : root.requestFullscreen();
    done.catch(() => { get("refused").textContent = "The browser allows no full screen."; });
  };

  const noted = (on) => {
    root.classList.toggle("with-notes", on);
    for (const notes of document.querySelectorAll(".speech")) notes.open = on;
  };

  const print = () => {
    const always = root.classList.contains("with-notes");
    addEventListener("afterprint", () => noted(always), { once: true });
    noted(true);
    window.print();
  };

  const keys = {
    ArrowRight: on, ArrowDown: on, PageDown: on, ArrowLeft: back, ArrowUp: back, PageUp: back,
    Home: () => show(0), End: () => show(slides.length - 1),
    f: whole, n: () => present(panel.hidden), w: open,
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.closest("input, select, textarea")) return;
    const space = event.key === " ";
    if (space && event.target.closest("a, button, summary")) return;
    const act = space ? (event.shiftKey ? back : on) : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  let touch = null;
  addEventListener("touchstart", (event) => {
    const scrolls = [...event.composedPath()].some((e) => e instanceof HTMLElement && e.scrollWidth > e.clientWidth + 1);
    touch = scrolls || event.touches.length > 1 ? null : event.touches[0];
  }, { passive: true });
  addEventListener("touchend", (event) => {
    if (!touch) return;
    const x = event.changedTouches[0].clientX - touch.clientX;
    const y = event.changedTouches[0].clientY - touch.clientY;
    if (Math.abs(x) > 60 && Math.abs(x) > 2 * Math.abs(y)) (x < 0 ? on : back)();
    touch = null;
  }, { passive: true });

  let waiting = false;
  addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const far = slides.map((slide) => Math.abs(slide.getBoundingClientRect().top));
      const nearest = far.indexOf(Math.min(...far));
      if (nearest === now) return;
      now = nearest;
      mark();
      tell();
    });
  }, { passive: true });

  addEventListener("resize", () => { if (!telephone.matches) place(); });
  addEventListener("message", (event) => {
    if (event.source !== other || !event.data || event.data.deck !== location.pathname) return;
    const index = slides.findIndex((slide) => slide.id === event.data.slide);
    if (index >= 0 && index !== now) show(index, true);
  });

  get("do-back").addEventListener("click", back);
  get("do-on").addEventListener("click", on);
  get("do-clock").addEventListener("click", () => { began = Date.now(); tick(); });
  get("do-second").addEventListener("click", open);
  get("do-print").addEventListener("click", print);
  get("do-close").addEventListener("click", () => present(false));

  root.classList.add("scripted");
  if (new URLSearchParams(location.search).has("notes")) noted(true);
  const named = slides.findIndex((slide) => `#${slide.id}` === location.hash);
  now = Math.max(0, named);
  if (now > 0) place();
  mark();
})();
