import { assertEquals } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { transform } from "sucrase";
import { createAgent } from "../../npm/sdk/mod.ts";
import { sdkPackage, writePackage } from "../../scripts/npm/sdk.ts";
import { ROOT, SDK_PROGRAMS } from "../docs/embedding.ts";
import { BINARY, cassette, environment, inWorkspace } from "../helpers/program.ts";
import { until } from "../helpers/until.ts";
import { choose } from "../sdk/which_sdk.ts";
import { runningProcesses } from "../helpers/processes.ts";

// Everything that is claimed of the embedded SDK, of the package that drives the binary.
choose((options) => createAgent({ binary: BINARY.command, ...options }));
await import("../sdk/create_agent_test.ts");

/** The runtimes of the package, each with the words that run a module. */
const RUNTIMES: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: "Node", command: ["node"] },
  { name: "Deno", command: [Deno.execPath(), "run", "-A", "--no-prompt", "--node-modules-dir=manual"] },
  { name: "Bun", command: ["bun"] },
];

const zod = dirname(dirname(fromFileUrl(import.meta.resolve("zod/mini"))));

/** A folder in which the package is installed, and a program of the page as JavaScript that every runtime takes. */
async function install(folder: string): Promise<void> {
  await writePackage(await sdkPackage(ROOT), join(folder, "node_modules", "@sandpiper/sdk"));
  Deno.symlinkSync(zod, join(folder, "node_modules/zod"));
  Deno.writeTextFileSync(
    join(folder, "package.json"),
    '{"type":"module","dependencies":{"@sandpiper/sdk":"*","zod":"*"}}',
  );
}

/** Types go, and so does `await using`, which Node 20 has not: the agent is closed at the end. */
function asJavaScript(code: string): string {
  const { code: plain } = transform(code.replace("await using agent", "const agent"), {
    transforms: ["typescript"],
    disableESTransforms: true,
  });
  return `${plain.replaceAll('"sandpiper"', '"@sandpiper/sdk"')}\nawait agent.close();\n`;
}

for (const { name, command } of RUNTIMES) {
  const [program = "", ...args] = command;
  const version = versionOf(program);
  if (version === undefined) console.log(`@sandpiper/sdk is not tested with ${name}: there is no ${program}`);
  Deno.test({
    name: `@sandpiper/sdk: every program of docs/sdk.md runs in ${name} and prints what the page says`,
    ignore: version === undefined,
    fn: () =>
      inWorkspace({}, async ({ ws, home, outside }) => {
        await install(outside);
        for (const [index, { code, replies, prints }] of SDK_PROGRAMS.entries()) {
          if (replies === undefined || prints === undefined) throw new Error("the page does not say what it prints");
          const folder = join(home, String(index));
          Deno.mkdirSync(folder);
          const model = JSON.stringify(`replay:${cassette(folder, JSON.parse(replies))}`);
          const file = join(outside, `program${index}.js`);
          Deno.writeTextFileSync(file, asJavaScript(code).replaceAll('"gpt-5-mini"', model));
          const env = environment({ HOME: home, SANDPIPER_BINARY: BINARY.command[0] ?? "", NO_COLOR: "1" });
          const { code: exit, stdout, stderr } = await new Deno.Command(program, {
            ...{ args: [...args, file], cwd: ws, clearEnv: true, env },
          }).output();
          const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
          assertEquals([exit, text(stdout), text(stderr)], [0, prints.replaceAll("\\n", "\n") + "\n", ""]);
        }
      }),
  });
}

Deno.test({
  name: "@sandpiper/sdk: when the program that embeds it is killed, sandpiper and all of its processes end",
  ignore: versionOf("node") === undefined || Deno.build.os !== "linux",
  fn: () =>
    inWorkspace({}, async ({ ws, home, outside }) => {
      await install(outside);
      const mark = `sleep 9${Math.floor(Math.random() * 1e9)}`;
      const model = `replay:${
        cassette(home, [{ calls: [{ name: "bash", args: { command: mark } }] }, { text: "Done." }])
      }`;
      const file = join(outside, "program.js");
      Deno.writeTextFileSync(
        file,
        `import { createAgent } from "@sandpiper/sdk";
         const agent = await createAgent(${JSON.stringify({ cwd: ws, model })});
         agent.subscribe(({ type }) => type === "tool_execution_start" && console.log(type));
         await agent.answer("wait");`,
      );
      const child = new Deno.Command("node", {
        ...{ args: [file], clearEnv: true, stdout: "piped" as const },
        env: environment({ HOME: home, SANDPIPER_BINARY: BINARY.command[0] ?? "" }),
      }).spawn();
      const reader = child.stdout.getReader();
      await reader.read();
      const family = (): readonly number[] => descendants(child.pid);
      await until(() => runningProcesses().some(({ args }) => args.includes(mark)));
      const before = family();
      assertEquals(before.length > 1, true);
      child.kill("SIGKILL");
      await child.status;
      const left = () => runningProcesses().filter(({ pid, args }) => before.includes(pid) || args.includes(mark));
      await until(() => left().length === 0, () => JSON.stringify(left()));
      await reader.cancel();
    }),
});

function descendants(of: number): readonly number[] {
  const all = runningProcesses();
  const found = [of];
  for (const pid of found) found.push(...all.filter(({ parent }) => parent === pid).map((child) => child.pid));
  return found.slice(1);
}

function versionOf(program: string): string | undefined {
  try {
    const { success, stdout } = new Deno.Command(program, { args: ["--version"] }).outputSync();
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch {
    return undefined;
  }
}
