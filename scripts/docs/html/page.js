// Shows one page at a time, searches all of them, and keeps the address of both after the #. No network, no storage but the theme.
const root = document.documentElement;
const articles = [...document.querySelectorAll("article")];
const search = document.getElementById("search");
const found = document.getElementById("found");
const side = document.querySelector(".side");
const QUERY = "#?q=";
root.classList.add("js");

const stored = (() => {
  try {
    return localStorage.getItem("theme");
  } catch {
    return null; // a file of its own may have no storage
  }
})();
if (stored) root.dataset.theme = stored;
document.getElementById("theme").addEventListener("click", () => {
  const isDark = root.dataset.theme
    ? root.dataset.theme === "dark"
    : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = isDark ? "light" : "dark";
  try {
    localStorage.setItem("theme", root.dataset.theme);
  } catch { /* it holds until the page is closed */ }
});
document.getElementById("menu").addEventListener("click", (event) => {
  event.currentTarget.setAttribute("aria-expanded", String(side.classList.toggle("open")));
});

/** Sections: a heading and what follows until the next one. Read once, when somebody searches. */
let sections;
function allSections() {
  if (sections) return sections;
  sections = [];
  for (const article of articles) {
    const title = article.querySelector("h1")?.textContent ?? article.id;
    let section;
    for (const child of article.children) {
      if (/^H[1-4]$/.test(child.tagName)) {
        section = { id: child.id, page: title, title: child.textContent, text: "" };
        sections.push(section);
      } else if (section) section.text += ` ${child.textContent}`;
    }
  }
  for (const section of sections) {
    section.text = section.text.replace(/\s+/g, " ").trim();
    section.low = `${section.page} ${section.title} ${section.text}`.toLowerCase();
  }
  return sections;
}

function results(query) {
  const words = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  if (words.length === 0) return [];
  const score = ({ page, title, low, id }) => {
    let sum = 0;
    for (const word of words) {
      if (!low.includes(word)) return 0;
      sum += title.toLowerCase().includes(word) ? 40 : page.toLowerCase().includes(word) ? 10 : 1;
      sum += 30 * Math.min(8, low.split(word).length - 1) / Math.sqrt(low.length);
    }
    // What users read goes before what contributors read.
    return sum * (/^(docs\/decisions|docs\/requirements|CHANGELOG|ARCHITECTURE|AGENTS)/.test(id) ? 0.2 : 1);
  };
  return allSections().map((section) => ({ section, points: score(section) })).filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points).slice(0, 40).map(({ section }) => ({ section, words }));
}

function marked(text, words) {
  const span = document.createElement("span");
  const pattern = new RegExp(`(${words.map((word) => word.replace(/[^\p{L}\p{N}]/gu, "\\$&")).join("|")})`, "giu");
  for (const part of text.split(pattern)) {
    const isWord = words.includes(part.toLowerCase());
    const node = isWord ? document.createElement("mark") : document.createTextNode(part);
    if (isWord) node.textContent = part;
    span.append(node);
  }
  return span;
}

/** Whole words of a text from a place on. */
function excerpt(text, at) {
  const from = at === 0 ? 0 : text.lastIndexOf(" ", at) + 1;
  const end = text.lastIndexOf(" ", from + 200);
  const to = text.length <= from + 200 ? text.length : end > from + 100 ? end : from + 200;
  return `${from > 0 ? "… " : ""}${text.slice(from, to)}${to < text.length ? " …" : ""}`;
}

let chosen = 0;
function showResults(query) {
  const list = results(query);
  chosen = 0;
  const ol = document.createElement("ol");
  ol.setAttribute("role", "listbox");
  for (const { section, words } of list) {
    const at = Math.max(
      0,
      section.text.toLowerCase().indexOf(words.find((word) => section.text.toLowerCase().includes(word)) ?? "") - 60,
    );
    const link = document.createElement("a");
    link.href = `#${section.id}`;
    link.setAttribute("role", "option");
    const title = document.createElement("b");
    title.append(marked(section.title, words));
    const page = document.createElement("small");
    page.textContent = section.page === section.title ? "" : section.page;
    const text = document.createElement("div");
    text.append(marked(excerpt(section.text, at), words));
    link.append(title, page, text);
    const item = document.createElement("li");
    item.append(link);
    ol.append(item);
  }
  const head = document.createElement("p");
  head.textContent = list.length === 0 ? `Nothing has "${query}".` : `${list.length} places`;
  found.replaceChildren(head, ol);
  choose(0);
}

function choose(index) {
  const links = [...found.querySelectorAll("a")];
  if (links.length === 0) return;
  chosen = (index + links.length) % links.length;
  for (const [at, link] of links.entries()) link.setAttribute("aria-selected", String(at === chosen));
  links[chosen].scrollIntoView({ block: "nearest" });
}

function show() {
  const isSearch = location.hash.startsWith(QUERY);
  const id = decodeURIComponent(location.hash.slice(1));
  const page = id.split("#")[0];
  const article = articles.find((one) => one.id === page) ?? articles[0];
  found.hidden = !isSearch;
  for (const one of articles) one.classList.toggle("shown", !isSearch && one === article);
  for (const link of side.querySelectorAll("nav a")) {
    if (!isSearch && link.getAttribute("href") === `#${article.id}`) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (isSearch) {
    const query = decodeURIComponent(location.hash.slice(QUERY.length));
    if (search.value !== query) search.value = query;
    showResults(query);
    return;
  }
  side.classList.remove("open");
  document.title = `${article.querySelector("h1")?.textContent ?? page} · sandpiper`;
  const target = document.getElementById(id);
  if (target && target !== article) target.scrollIntoView();
  else scrollTo(0, 0);
}

let before = ""; // where somebody was who began to search
search.addEventListener("input", () => {
  if (!location.hash.startsWith(QUERY)) before = location.hash;
  const hash = search.value.trim() === "" ? before || "#" : QUERY + encodeURIComponent(search.value);
  history.replaceState(null, "", hash);
  show();
});
search.addEventListener("keydown", (event) => {
  if (event.key === "ArrowDown") choose(chosen + 1);
  else if (event.key === "ArrowUp") choose(chosen - 1);
  else if (event.key === "Enter") found.querySelectorAll("a")[chosen]?.click();
  else if (event.key === "Escape") {
    search.value = "";
    history.replaceState(null, "", before || "#");
    show();
    search.blur();
    return;
  } else return;
  event.preventDefault();
});
addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof HTMLInputElement;
  if ((event.key === "/" && !isTyping) || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
    event.preventDefault();
    search.focus();
    search.select();
  }
});
addEventListener("hashchange", show);
// Once more when all is there: a browser scrolls to the page itself, whose beginning has something above it.
addEventListener("load", () => requestAnimationFrame(show));
show();
// What a program that looks at this page can read without running anything.
root.dataset.wide = String(root.scrollWidth > root.clientWidth);
