import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { readPages, slugOf } from "../../scripts/docs/html/pages.ts";

const root = new URL("../../", import.meta.url).pathname;
const script = new URL("../../scripts/docs_html.ts", import.meta.url).pathname;
const CHROMIUM = ["chromium", "chromium-browser", "google-chrome"].find((name) => {
  try {
    return new Deno.Command(name, { args: ["--version"], stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
});
if (CHROMIUM === undefined) console.log("no Chromium is installed: docs.html is not looked at in a browser");

Deno.test("slugOf() names headings as links to them do", () => {
  const cases = [["Exit codes", "exit-codes"], ["1. Watch it once", "1-watch-it-once"], [
    "`sandpiper policy`, `tool`",
    "sandpiper-policy-tool",
  ]];
  for (const [heading = "", slug] of cases) assertEquals(slugOf(heading), slug);
});

Deno.test("readPages() leads links between pages to each other, takes no HTML, and names links that lead nowhere", () => {
  const folder = Deno.makeTempDirSync({ prefix: "sp-pages-" });
  try {
    for (const name of ["ARCHITECTURE.md", "AGENTS.md", "CHANGELOG.md"]) {
      Deno.writeTextFileSync(join(folder, name), "# A\n");
    }
    Deno.mkdirSync(join(folder, "docs"));
    Deno.mkdirSync(join(folder, "dev", "decisions"), { recursive: true });
    Deno.writeTextFileSync(join(folder, "docs", "two.md"), "# Two\n\n## Same\n\n## Same\n\n[up](../README.md#one)\n");
    Deno.writeTextFileSync(
      join(folder, "README.md"),
      "# One\n\n<!-- not for people -->\n<script>x</script>\n\n[a](docs/two.md#same-1) [b](docs/three.md) [c](docs/two.md#gone) " +
        "[d](https://example.com) [e](docs)\n",
    );
    const { pages, problems } = readPages(folder);
    assertEquals(pages.map(({ path, title }) => [path, title]).slice(0, 2), [["README.md", "One"], [
      "docs/two.md",
      "Two",
    ]]);
    const html = pages[0]?.html ?? "";
    for (
      const part of [
        'href="#docs/two.md#same-1"',
        '<h1 id="README.md#one">',
        "&lt;script&gt;",
        'href="https://example.com" rel="noreferrer"',
        'class="file" title="docs"',
      ]
    ) assertStringIncludes(html, part);
    assert(!html.includes("not for people"));
    assertEquals(problems, [
      'README.md: the link "docs/three.md" leads to nothing',
      'README.md: the link "docs/two.md#gone" leads to no heading',
    ]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});

Deno.test("links of all pages lead to a page, a heading or a file that is there", () => {
  assertEquals(readPages(root).problems, []);
});

Deno.test({
  name:
    "docs.html works as a file in a browser: pages, search, no sideways scrolling on a narrow screen, nothing loaded",
  ignore: CHROMIUM === undefined,
  async fn() {
    const folder = Deno.makeTempDirSync({ prefix: "sp-html-" });
    try {
      const file = join(folder, "docs.html");
      const made = await new Deno.Command(Deno.execPath(), {
        args: [
          "run",
          "--no-prompt",
          "--allow-read",
          "--allow-write",
          script,
          "--out",
          file,
        ],
      }).output();
      assert(made.success, new TextDecoder().decode(made.stderr));
      // One start of a browser for all of it: it looks at itself in frames, and says what it saw.
      Deno.writeTextFileSync(join(folder, "look.html"), LOOK);
      const { stdout, stderr } = await new Deno.Command(CHROMIUM ?? "", {
        args: [
          ...[
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--allow-file-access-from-files",
          ],
          ...[
            `--user-data-dir=${folder}/profile`,
            "--virtual-time-budget=2000",
            "--dump-dom",
            `file://${folder}/look.html`,
          ],
        ],
        clearEnv: true,
        env: { PATH: Deno.env.get("PATH") ?? "", HOME: folder, LANG: "C.UTF-8" },
      }).output();
      const seen = /<pre id="seen">([^<]*)/.exec(new TextDecoder().decode(stdout))?.[1] ?? "";
      assert(seen !== "", new TextDecoder().decode(stderr).slice(-2000));
      assertEquals(JSON.parse(seen), {
        page: { shown: ["docs/undo.md"], isWide: false, title: "Undo · sandpiper" },
        search: {
          ...{ shown: [], isWide: false, first: "There is no API key for …", isMarked: true },
          hash: "#?q=no%20api%20key%20for",
        },
        keys: { chosen: 1, left: "", shown: ["docs/undo.md"] },
        wide: [],
        loaded: [],
      });
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

/** A page with the documentation in a narrow frame, and what it does there; what goes wrong is written, too. */
const LOOK = `<!DOCTYPE html><meta charset="utf-8">
<iframe id="frame" width="390" height="800" src="docs.html#docs/undo.md"></iframe><pre id="seen"></pre><script>
const frame = document.getElementById("frame");
const look = (page) => ({
  shown: [...page.querySelectorAll("article.shown")].map(({ id }) => id),
  isWide: isWide(page),
});
const isWide = ({ documentElement }) => documentElement.scrollWidth > documentElement.clientWidth;
frame.onload = () => {
  const seen = document.getElementById("seen");
  try {
    const doc = frame.contentDocument;
    const page = { ...look(doc), title: doc.title };
    const box = doc.getElementById("search");
    box.value = "no api key for";
    box.dispatchEvent(new frame.contentWindow.Event("input", { bubbles: true }));
    const found = [...doc.querySelectorAll("#found a")];
    const search = {
      ...look(doc),
      first: found[0].querySelector("b").textContent,
      isMarked: found[0].querySelector("mark") !== null,
      hash: frame.contentWindow.location.hash,
    };
    const press = (key) => box.dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", { key, bubbles: true }));
    press("ArrowDown");
    const chosen = found.findIndex((link) => link.getAttribute("aria-selected") === "true");
    press("Escape");
    const keys = { chosen, left: box.value, shown: look(doc).shown };
    const view = frame.contentWindow;
    const wide = [...doc.querySelectorAll("article")].map(({ id }) => id).filter((id) => {
      view.history.replaceState(null, "", "#" + id);
      view.dispatchEvent(new view.Event("hashchange"));
      return look(doc).shown[0] !== id || isWide(doc);
    });
    const names = frame.contentWindow.performance.getEntriesByType("resource").map(({ name }) => name);
    seen.textContent = JSON.stringify({ page, search, keys, wide, loaded: names.filter((name) => !name.startsWith("data:")) });
  } catch (error) {
    seen.textContent = JSON.stringify(String(error));
  }
};
</script>`;
