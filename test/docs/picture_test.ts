import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { plainText, svgOf } from "../../scripts/docs/picture/svg.ts";

const SIZE = { columns: 20, rows: 3, title: "A <title>", description: "Words" };

Deno.test("svgOf() puts each run of characters into its cells, a line that comes again once, and shows the last screen", () => {
  const bold = "\x1b[1mbold\x1b[0m plain\n\x1b[38;2;255;0;16mred\x1b[39m  \x1b[7mturned\x1b[0m";
  const svg = svgOf([{ screen: bold, seconds: 1 }, { screen: `${bold}\n> a & b`, seconds: 3 }], SIZE);
  for (
    const part of [
      '<title id="t">A &lt;title&gt;</title>',
      ".s{visibility:hidden}.s1{visibility:visible}",
      '<text x="14.0" y="13" textLength="31.2" class="c0">bold</text>',
      ".c0{font-weight:bold;}",
      "fill:#ff0010;",
      '<rect x="53.0" width="46.8" height="17" fill="#c8d0da"/>',
      "&gt; a &amp; b",
      "@keyframes k1{0%{visibility:hidden}25.00%{visibility:visible}100.00%{visibility:hidden}}",
    ]
  ) assertStringIncludes(svg, part);
  assertEquals(svg.split(">bold<").length, 2);
  assertEquals(plainText(`${bold}\n\n`), "bold plain\nred  turned");
});

Deno.test("svgOf() refuses what would be drawn as something else", () => {
  assertThrows(() => svgOf([{ screen: "\x1b[2Jx", seconds: 1 }], SIZE), Error, "no colour");
  assertThrows(() => svgOf([{ screen: "\x1b[5mx", seconds: 1 }], SIZE), Error, "not known: 5");
});
