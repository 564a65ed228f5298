// What a killed program leaves in the workspace has a name that identifies its process, and the next start removes it: also
// without a tool call, and where no changes are recorded.
import { assertEquals } from "@std/assert";
import { identityOf, processNamespace } from "../../src/sandbox/system/procfs.ts";
import { temporaryName } from "../../src/core/support/replace_file.ts";
import { ownerPrefix } from "../../src/sandbox/system/temporary_folder.ts";
import { cassette, inWorkspace, PROGRAM, run } from "../helpers/program.ts";

const LINUX = Deno.build.os === "linux";
/** A process that has ended: one with the number of this one that started earlier. */
const ended = (): string => `sandpiper-${processNamespace()}-${Deno.pid}-${(identityOf(Deno.pid)?.start ?? 1) - 1}-`;

for (const settings of [{}, { checkpoints: false }]) {
  Deno.test({
    name: `files of a killed program are removed by a run without calls, with the settings ${JSON.stringify(settings)}`,
    ignore: !LINUX,
    fn: () =>
      inWorkspace({ "src/deep/a.ts": "a\n", ".git/HEAD": "ref: refs/heads/main\n" }, async ({ ws, home }) => {
        Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
        Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(settings));
        const kept = [temporaryName(ownerPrefix()), "a.ts"].sort();
        for (const name of [kept[0] ?? "", temporaryName(ended())]) {
          Deno.writeTextFileSync(`${ws}/src/deep/${name}`, "a part");
        }
        Deno.writeTextFileSync(`${ws}/.git/index.${ended()}12345678`, "");
        Deno.linkSync(`${ws}/.git/index.${ended()}12345678`, `${ws}/.git/index.lock`);
        const model = `replay:${cassette(home, [{ text: "done" }])}`;
        const { code, stderr } = await run(PROGRAM, ["-p", "-m", model, "go"], { cwd: ws, env: { HOME: home } });
        const names = (folder: string) => [...Deno.readDirSync(`${ws}/${folder}`)].map(({ name }) => name).sort();
        assertEquals([code, names("src/deep"), names(".git")], [0, kept, ["HEAD"]], stderr);
      }),
  });
}
