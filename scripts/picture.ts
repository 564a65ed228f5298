/**
 * Writes docs/picture.svg: what the binary shows in a real terminal (tmux) while a recorded model, one that has gone wrong,
 * works on the demo's project.
 *
 * `--check` writes nothing and fails when the screens of the picture are not those of the binary; `--program FILE` takes
 * another one than dist/sandpiper.
 */
import { parseArgs } from "@std/cli";
import { join, resolve } from "@std/path";
import { recordScreens } from "./docs/picture/scene.ts";
import { plainText, svgOf } from "./docs/picture/svg.ts";

const root = resolve(import.meta.dirname ?? ".", "..");
const args = parseArgs(Deno.args.filter((word) => word !== "--"), { boolean: ["check"], string: ["program"] });
const program = resolve(typeof args.program === "string" ? args.program : join(root, "dist", "sandpiper"));
const file = join(root, "docs", "picture.svg");

const { stills, columns, rows, title } = await recordScreens(program);
// The words of the last screen stand in the file: who cannot see it reads them, and --check compares them.
const description = plainText(stills.at(-1)?.screen ?? "");
const svg = svgOf(stills, { columns, rows, title, description });
if (args.check === true) {
  if (comparable(await Deno.readTextFile(file)) !== comparable(svg)) {
    console.error(`docs/picture.svg is not of today's screen: run deno task picture. The screen:\n${description}`);
    Deno.exit(1);
  }
  console.log("docs/picture.svg shows today's screen");
} else {
  await Deno.writeTextFile(file, svg);
  console.log(`${file}: ${(svg.length / 1000).toFixed(0)} kB, ${stills.length} screens`);
}

/** The words of the last screen; what confines the tools is that of the machine. */
function comparable(svg: string): string | undefined {
  return /<desc[^>]*>([^]*?)<\/desc>/.exec(svg)?.[1]?.replace(/▣ [^·]+·/, "▣").replace(/ +/g, " ");
}
