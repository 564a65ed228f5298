// Every line of JSON mode can be shown in a terminal.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { cassette, inWorkspace, PROGRAM, run } from "../helpers/program.ts";

const STEERING = "\x9b2J \x7f \u202e";
// deno-lint-ignore no-control-regex -- the test is about controls
const OBEYED = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;

Deno.test("no line of JSON mode controls a terminal, the run report included", () =>
  inWorkspace({}, async ({ ws, home, outside }) => {
    cassette(outside, [{ text: `answer ${STEERING}` }]);
    const args = ["--mode", "json", "--model", "replay:../outside/cassette.jsonl", "--no-session", "go"];
    const { code, stdout } = await run(PROGRAM, args, { cwd: ws, env: { HOME: home } });
    assertEquals([code, OBEYED.test(stdout)], [0, false]);
    const report = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "");
    assertEquals(report.type, "run_report");
    assertStringIncludes(JSON.stringify(report), "answer ");
  }));
