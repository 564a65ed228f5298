/**
 * The search of an exported page: hides what does not contain the words, and opens what is folded around them.
 *
 * It reads the text of the page and writes attributes of its own elements; it makes no element of any text.
 */
export const SCRIPT = `
const search = document.getElementById("search"), found = document.getElementById("found");
const items = [...document.querySelectorAll("main > article, main > details, main > section > *")];
const texts = items.map((item) => item.textContent.toLowerCase());
const folded = [...document.querySelectorAll("main details")].map((one) => [one, one.open, one.textContent.toLowerCase()]);
let waiting;
const look = () => {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const has = (text) => words.every((word) => text.includes(word));
  let count = 0;
  items.forEach((item, at) => { const hit = has(texts[at]); item.hidden = !hit; if (hit) count++; });
  for (const [one, open, text] of folded) one.open = open || (words.length > 0 && has(text));
  found.value = words.length ? count + " of " + items.length : "";
};
search.addEventListener("input", () => { clearTimeout(waiting); waiting = setTimeout(look, 120); });
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== search) { event.preventDefault(); search.focus(); }
  if (event.key === "Escape" && document.activeElement === search) { search.value = ""; look(); search.blur(); }
});
search.hidden = false;
`;
