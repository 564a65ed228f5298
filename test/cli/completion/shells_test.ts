// The scripts in the shells that they are for, with a program that lies in PATH as an installed one does.
import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { FULL_PROGRAM, inWorkspace } from "../../helpers/program.ts";
import { needs } from "../../helpers/needs.ts";
import { openPty } from "../../tui/pty.ts";

interface Place {
  readonly ws: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A workspace with a file, and the program as a command. */
async function inPlace(work: (place: Place) => Promise<void>): Promise<void> {
  await inWorkspace({ "with space.txt": "", "other.txt": "" }, async ({ ws, home }) => {
    const bin = join(home, "bin");
    Deno.mkdirSync(bin);
    const words = FULL_PROGRAM.command.map((word) => `'${word}'`).join(" ");
    Deno.writeTextFileSync(join(bin, "sandpiper"), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
    const cache = Deno.env.get("DENO_DIR") ?? join(Deno.env.get("HOME") ?? "/", ".cache", "deno");
    await work({ ws, env: { HOME: home, DENO_DIR: cache, PATH: `${bin}:${Deno.env.get("PATH")}` } });
  });
}

function test(shell: string, title: string, work: (place: Place) => Promise<void>): void {
  Deno.test({ ...needs([shell, ...shell === "zsh" ? ["tmux"] : []], `${shell}: ${title}`), fn: () => inPlace(work) });
}

async function linesOf({ ws, env }: Place, program: string, script: string): Promise<readonly string[]> {
  const { stdout, stderr } = await new Deno.Command(program, { args: ["-c", script], cwd: ws, env, clearEnv: true })
    .output();
  assertEquals(new TextDecoder().decode(stderr), "");
  return new TextDecoder().decode(stdout).trimEnd().split("\n");
}

test("bash", "options, values behind = and :, files with spaces", async (place) => {
  // As readline calls it: the line, and its words with the signs at which bash takes words apart as words of their own.
  const asked = [
    ["sandpiper", "--mod"],
    ["sandpiper", "--mode", "=", "j"],
    ["sandpiper", "--mode", "="],
    ["sandpiper", "/skill", ":", "re"],
    ["sandpiper", "w"],
  ].map((words) => {
    const line = words.join(" ").replace(/ ([=:]) ?/g, "$1");
    const quoted = words.map((word) => `'${word}'`).join(" ");
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${
      words.length - 1
    }; COMP_LINE='${line}'; COMP_POINT=${line.length}; ask`;
  });
  const lines = await linesOf(
    place,
    "bash",
    `eval "$(sandpiper completions bash)"; compopt() { :; }
ask() { _sandpiper_complete; printf '[%s]' "\${COMPREPLY[@]}"; echo; }
${asked.join("\n")}`,
  );
  assertEquals(lines, [
    "[--mode][--model]",
    "[json]",
    "[interactive][text][json][rpc]",
    "[review]",
    "[with space.txt]",
  ]);
});

test("bash", "a hostile name behind = and : is a word and no command", async (place) => {
  const hostile = "a$(touch pwned)`touch pwned`;touch pwned.txt";
  Deno.writeTextFileSync(join(place.ws, hostile), "");
  const lines = await linesOf(
    place,
    "bash",
    `eval "$(sandpiper completions bash)"; compopt() { :; }
COMP_WORDS=(sandpiper --patch = a); COMP_CWORD=3; COMP_LINE='sandpiper --patch=a'; COMP_POINT=19
_sandpiper_complete; eval "printf '[%s]\\n' --patch=\${COMPREPLY[0]}"; ls`,
  );
  assertEquals(lines, [`[--patch=${hostile}]`, hostile, "other.txt", "with space.txt"]);
});

test("fish", "options with what they mean, values behind =, skills, files", async (place) => {
  const lines = await linesOf(
    place,
    "fish",
    `sandpiper completions fish | source
for line in "sandpiper --mod" "sandpiper --mode=j" "sandpiper /skill:re" "sandpiper w"
  complete -C $line
end`,
  );
  assertEquals(lines.map((line) => line.split("\t")[0]), [
    "--mode",
    "--model",
    "--mode=json",
    "/skill:review",
    "with space.txt",
  ]);
  assertStringIncludes(lines[0] ?? "", "\tinteractive, text, json");
});

test("zsh", "the Tab key of a person", async ({ ws, env }) => {
  const pty = await openPty({ cwd: ws, env, command: ["zsh", "-f"] });
  try {
    await pty.type(
      'autoload -Uz compinit; compinit -D -u; eval "$(sandpiper completions zsh)"; PS1="ready> "; clear',
    );
    await pty.keys("Enter");
    await pty.see(/^ready>/m);
    for (
      const [typed, fits] of [["tool re", "tool read"], ["--mode=j", "--mode=json"], ["/skill:re", "/skill:review"], [
        "w",
        "with\\ space.txt",
      ]]
    ) {
      await pty.type(`sandpiper ${typed}`);
      await pty.keys("Tab");
      await pty.see(`ready> sandpiper ${fits}`);
      await pty.keys("C-u");
      await pty.see(/^ready>$/m);
    }
  } finally {
    await pty.close();
  }
});
