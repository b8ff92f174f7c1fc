"""What is held against every slide of a deck, measured in the browser."""

from __future__ import annotations

OUTSIDE = """() => [...document.querySelectorAll('.slide')].flatMap(slide => {
  const frame = slide.getBoundingClientRect();
  const stage = slide.querySelector('.stage');
  const floor = stage ? stage.getBoundingClientRect() : null;
  return [...slide.querySelectorAll('.screen *')]
    .filter(e => e.getClientRects().length && !e.closest('.vh, desc, defs, title, clipPath'))
    .filter(e => {
      const box = e.getBoundingClientRect();
      if (!box.width || !box.height) return false;
      const inner = stage && e !== stage && stage.contains(e) ? floor : frame;
      return box.bottom > inner.bottom + 1.5 || box.top < inner.top - 1.5
        || box.right > frame.right + 1 || box.left < frame.left - 1;
    })
    .map(e => `${slide.id}: ${e.tagName} ${e.getAttribute('class') || ''} `
      + e.textContent.trim().slice(0, 60));
})"""
"""Elements that leave their slide, or the part of it that is theirs."""

SMALL = """least => {
  const found = new Set();
  for (const slide of document.querySelectorAll('.slide')) {
    const walker = document.createTreeWalker(
      slide.querySelector('.screen'), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const text = walker.currentNode;
      const e = text.parentElement;
      if (!text.textContent.trim() || !e.getClientRects().length) continue;
      if (e.closest('.vh, desc, title')) continue;
      const svg = e.closest('svg');
      let size = parseFloat(getComputedStyle(e).fontSize);
      if (svg) {
        const box = svg.getBoundingClientRect(), view = svg.viewBox.baseVal;
        size *= Math.min(box.width / view.width, box.height / view.height);
      }
      if (size < least - 0.05)
        found.add(`${slide.id}: ${size.toFixed(1)} px, ${text.textContent.trim().slice(0, 40)}`);
    }
  }
  return [...found];
}"""
"""Texts of a slide that are smaller than the last row can read."""

CUT = """() => [...document.querySelectorAll('.screen *')]
  .filter(e => !e.closest('desc, title, .vh') && e.getClientRects().length)
  .filter(e => (!e.children.length && e.textContent.includes('…'))
    || (e.matches('span, p, dd, dt, h1, h2') && e.scrollWidth > e.clientWidth + 1
        && getComputedStyle(e).overflow === 'hidden'))
  .map(e => `${e.closest('.slide').id}: ${e.textContent.trim()}`)"""
"""Texts that end in dots, or of which a part is hidden."""

LITTLE = """least => [...document.querySelectorAll('.slide')].flatMap(slide => {
  const frame = slide.getBoundingClientRect();
  const shown = [...slide.querySelectorAll(
    '.wide svg, .gallery, .stage pre, .verdicts')].map(e => e.getBoundingClientRect());
  if (!shown.length || slide.matches('#reproduce')) return [];
  const width = Math.max(...shown.map(r => r.right)) - Math.min(...shown.map(r => r.left));
  const height = Math.max(...shown.map(r => r.bottom)) - Math.min(...shown.map(r => r.top));
  const share = width * height / (frame.width * frame.height);
  const wanted = slide.matches('.first') ? 0.4 : least;
  return share < wanted && width < 0.85 * frame.width ? [`${slide.id}: ${share.toFixed(2)}`] : [];
})"""
"""Slides whose figure, pictures, text or squares have less than such a share of them; on the first
slide, below a question and its answer, less than two fifths, unless they are as wide as it.
Commands take the lines they need."""

TITLES = """() => {
  const tops = [...document.querySelectorAll(".slide")].map(slide =>
    slide.querySelector("h1, h2").getBoundingClientRect().top - slide.getBoundingClientRect().top);
  return Math.max(...tops) - Math.min(...tops);
}"""
"""By how many pixels titles begin at unlike heights: a full first slide gives way a little."""
