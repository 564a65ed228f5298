// A program of its own: the runtime never gives back what an ended worker held that fills its heap to the last. Runs an
// extension whose source comes as the first argument beside a good one, and prints what came of both.
import { until } from "../helpers/until.ts";
import { extension, never, openWorld } from "./world.ts";

const [body = ""] = Deno.args;
const world = await openWorld({
  "extensions/evil.ts": extension(body),
  "extensions/good.ts": extension('sp.on("input", ({ text }) => ({ action: "transform", text: text + " good" }));'),
});
const { hooks } = world;
const lost = (): string | undefined => hooks.extensions().find(({ name }) => name === "evil")?.lost;
await hooks.observe({ type: "session_start", reason: "startup" });
const { isError } = body.includes('"hog"') ? await hooks.runTool("hog", {}, "c", never, () => {}) : { isError: true };
await until(() => lost() !== undefined);
const outcome = await hooks.input({ text: "t", source: "interactive" }, never);
console.log(JSON.stringify({ isError, lost: lost(), good: outcome.action === "continue" && outcome.text }));
world[Symbol.dispose]();
Deno.exit(0); // the ended worker's thread may still be busy
