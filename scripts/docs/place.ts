import { join } from "@std/path";

/** A home, a workspace and an environment in which the commands of a page run. */
export interface Place {
  readonly workspace: string;
  readonly env: Readonly<Record<string, string>>;
  readonly remove: () => Promise<void>;
}

/** The project that the pages speak of: a Git repository with one test, which passes. */
const FILES: Readonly<Record<string, string>> = {
  "README.md": "# slug\n\nTurns a title into a name for a web address.\n",
  "package.json": '{ "name": "slug", "version": "1.0.0", "scripts": { "test": "sh test.sh" } }\n',
  "slug.sh": "#!/bin/sh\nprintf '%s\\n' \"$1\" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9\\n' '-'\n",
  "test.sh":
    'got=$(sh slug.sh "Hello, World")\n[ "$got" = hello-world ] && echo ok || { echo "FAILED $got"; exit 1; }\n',
  "src/main.ts": 'console.log("Hello");\n',
  "src/a.ts": "export const a = 1;\n",
  "src/b.ts": "export const b = 2;\n",
};

/** What the model says unless a page gives it other words with `says`. */
const REPLIES = Array.from({ length: 4 }, () => '{"text":"Done."}\n').join("");

/**
 * In place of the model that is named, the recorded one answers: `replies.jsonl` in the home, which `says` writes, one reply an
 * argument. Nothing else is changed on the way to the binary.
 */
const PROGRAM = `#!/bin/bash
words=()
while [ $# -gt 0 ]; do
  case "$1" in
    -m | --model)
      words+=("$1"); shift
      case "\${1:-}" in replay:*) words+=("$1") ;; *) words+=("replay:$HOME/replies.jsonl") ;; esac ;;
    *) words+=("$1") ;;
  esac
  shift
done
exec "PROGRAM" "\${words[@]}"
`;
/** What `first` comments may call: `says REPLY…`, and `session ID TASK`, which leaves a session whose id begins so. */
const COMMANDS = `
says() { printf '%s\\n' "$@" > ~/replies.jsonl; }
session() {
  sandpiper -p "$2"
  local file id; file=$(ls ~/.sandpiper/agent/sessions/*/*.jsonl | tail -n 1); id=$(basename "$file" .jsonl); id=\${id##*_}
  for path in "$file" ~/.sandpiper/agent/audit/$id.jsonl ~/.sandpiper/agent/checkpoints/$id; do
    [ ! -e "$path" ] || mv "$path" "\${path/$id/$1\${id:\${#1}}}"
  done
  sed -i "s/$id/$1\${id:\${#1}}/g" "\${file/$id/$1\${id:\${#1}}}"
}
`;

/** Makes a place for one page. */
export async function makePlace(program: string): Promise<Place> {
  // Not below a temporary folder: of those, commands have one of their own, and a home there would not be held.
  const cache = Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? Deno.cwd(), ".cache");
  await Deno.mkdir(cache, { recursive: true });
  const top = await Deno.realPath(await Deno.makeTempDir({ dir: cache, prefix: "sandpiper-docs-" }));
  const [home, bin, workspace] = ["home", "bin", join("home", "slug")].map((name) => join(top, name)) as [
    string,
    string,
    string,
  ];
  const agent = join(home, ".sandpiper", "agent");
  for (const folder of [bin, agent, join(workspace, "src")]) await Deno.mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(FILES)) await Deno.writeTextFile(join(workspace, name), text);
  await Deno.writeTextFile(join(home, ".says"), COMMANDS);
  await Deno.writeTextFile(join(home, "replies.jsonl"), REPLIES);
  const settings = { model: `replay:${join(home, "replies.jsonl")}` };
  await Deno.writeTextFile(join(agent, "settings.json"), JSON.stringify(settings));
  await Deno.writeTextFile(join(bin, "sandpiper"), PROGRAM.replace("PROGRAM", program), { mode: 0o755 });
  const env = {
    ...{ HOME: home, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, LANG: "C.UTF-8", NO_COLOR: "1" },
    ...{ GIT_AUTHOR_NAME: "Ann", GIT_AUTHOR_EMAIL: "ann@example.com" },
    ...{ GIT_COMMITTER_NAME: "Ann", GIT_COMMITTER_EMAIL: "ann@example.com" },
  };
  const git = async (...words: readonly string[]): Promise<void> => {
    const { success, stderr } = await new Deno.Command("git", { args: [...words], cwd: workspace, env }).output();
    if (!success) throw new Error(`git ${words[0]}: ${new TextDecoder().decode(stderr)}`);
  };
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("commit", "-q", "-m", "slug");
  return { workspace, env, remove: () => Deno.remove(top, { recursive: true }) };
}
