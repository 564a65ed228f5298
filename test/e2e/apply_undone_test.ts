// An application of a patch that was cut off is the newest change of all, whichever way undo is asked for.
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { UndoStep } from "../../src/core/changes.ts";
import { createAgent } from "../../src/mod.ts";
import { cassette, inWorkspace, run, SOURCE } from "../helpers/program.ts";
import { cutOffApply } from "../trial/trees.ts";
import { rpcClient } from "./rpc_client.ts";

const FILES = { "a.txt": "a\n", "b.txt": "b\n" };
const HALF = { "a.txt": "new a\n", "b.txt": "b\n", "made.txt": "made\n" };
const STEPS: readonly UndoStep[] = [
  { path: "made.txt", action: "remove", thing: "file" },
  { path: "a.txt", action: "restore", thing: "file" },
];

const texts = (ws: string): Readonly<Record<string, string>> =>
  Object.fromEntries([...Deno.readDirSync(ws)].map(({ name }) => [name, Deno.readTextFileSync(`${ws}/${name}`)]));

Deno.test("undo takes back an application of a patch that was cut off: from the command line, by RPC and by the SDK", () =>
  inWorkspace(FILES, async ({ ws, home }) => {
    const options = { cwd: ws, env: { HOME: home } };
    const model = `replay:${cassette(home, [{ text: "done" }])}`;
    const short = ({ point, steps, left, isDone }: Awaited<ReturnType<typeof agent.undo>>) => ({
      kind: point.kind,
      steps,
      left,
      isDone,
    });
    const expected = (isDone: boolean) => ({ kind: "apply" as const, steps: STEPS, left: [], isDone });

    cutOffApply(ws, home);
    const dry = await run(SOURCE, ["undo", "--dry-run"], options);
    assertEquals([dry.code, dry.stdout], [
      0,
      "Before a patch was applied in part:\n  would remove made.txt\n  would restore a.txt\nNothing else would be undone\n",
    ], dry.stderr);
    assertEquals(texts(ws), HALF);
    Deno.writeTextFileSync(`${ws}/made.txt`, "somebody's\n");
    const left = await run(SOURCE, ["undo", "--dry-run", "--quiet"], options);
    assertEquals(left.code, 1);
    assertStringIncludes(left.stderr, "made.txt would be left as it is: somebody else changed it since");
    Deno.writeTextFileSync(`${ws}/made.txt`, HALF["made.txt"]);
    const said = await run(SOURCE, ["undo", "--json"], options);
    assertEquals(short(JSON.parse(said.stdout)), expected(true), said.stderr);
    assertStringIncludes(said.stderr, "the application of a patch was cut off in the middle: 2 files were put back");
    assertEquals(texts(ws), FILES);

    cutOffApply(ws, home);
    {
      await using client = rpcClient(SOURCE, ["-m", model], options);
      const undo = async (request: object) => short((await client.ask({ type: "undo", ...request })).data);
      assertEquals(await undo({ dryRun: true }), expected(false));
      assertEquals(texts(ws), HALF);
      assertEquals(await undo({}), expected(true));
      assertEquals(texts(ws), FILES);
      assertStringIncludes((await client.ask({ type: "undo" })).error, "There is nothing to undo");
    }

    cutOffApply(ws, home);
    await using agent = await createAgent({ cwd: ws, env: { HOME: home, PATH: Deno.env.get("PATH") ?? "" }, model });
    assertEquals(short(await agent.undo({ to: 1 })), expected(true));
    assertEquals(texts(ws), FILES);
  }));
