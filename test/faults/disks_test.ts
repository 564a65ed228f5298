// Disks that fill while a run goes on: a small tmpfs in a mount namespace of its own, so that nothing else is full.
import { assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl, join } from "@std/path";
import { run } from "../helpers/program.ts";
import { wired } from "./replies.ts";
import { asOrdinaryUser } from "../sandbox/ordinary_user.ts";
import { argumentsOf, assertSession, assertTidy, inPlace, KEY, type Place, PROGRAM, RETRY } from "./runs.ts";
import { seeded } from "../helpers/seeded.ts";
import { assertFiles, DONE, nextTurn } from "./task.ts";
import { serveWire } from "./wire.ts";

/** Root needs no namespace of users, and an ordinary user gets root's rights over mounts in one. */
const UNSHARE = Deno.uid() === 0 ? ["--mount"] : ["--user", "--map-root-user", "--mount"];

const inNamespace = (script: string, ...args: readonly string[]): Deno.Command =>
  new Deno.Command("unshare", {
    args: [...UNSHARE, "sh", "-c", script, "sh", ...args],
    stdin: "null",
  });

/** Why no disk can be mounted here, if so. */
function problem(): string | undefined {
  try {
    const { code, stderr } = inNamespace("mount -t tmpfs -o size=64k none /mnt").outputSync();
    return code === 0 ? undefined : new TextDecoder().decode(stderr).trim();
  } catch (error) {
    return String(error);
  }
}

/**
 * Runs the task on a small disk at `$1`, then with room again, and copies away what is on the disk in the end. What the
 * folder held before is on the disk, too. Outputs and codes go to `$3`. With room again the disk's
 * options are not repeated: an ordinary user's namespace has its owner among them and refuses that.
 */
const SCRIPT = `
disk=$1 size=$2 out=$3 ws=$4 first=$5; shift 5
cp -a "$disk" "$out/before"
mount -t tmpfs -o "size=$size,mode=700" none "$disk" || exit 90
cp -a "$out/before/." "$disk"
cd "$ws" || exit 91
"$@" "$first" > "$out/1.out" 2> "$out/1.err"; echo $? > "$out/1.code"
cp -a "$disk" "$out/full"
mount --options-mode ignore -o remount,size=64m "$disk" || exit 92
"$@" -c "Go on." > "$out/2.out" 2> "$out/2.err"; echo $? > "$out/2.code"
cp -a "$disk" "$out/after"
`;

interface Case {
  readonly name: string;
  readonly disk: (place: Place) => string;
  readonly size: string;
  /** Exit code of the run on the small disk, and what it says. */
  readonly code: number;
  readonly says: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: "of the sessions",
    disk: ({ sessions }) => sessions,
    size: "12k",
    code: 0,
    says: /Cannot keep the session in .*\n?.*the disk is full/,
  },
  { name: "of the home", disk: ({ home }) => home, size: "40k", code: 0, says: /the disk is full|No space left/ },
  { name: "of the temporary files", disk: ({ temporary }) => temporary, size: "4k", code: 0, says: /^/ },
  { name: "of the workspace", disk: ({ ws }) => ws, size: "12k", code: 4, says: /limit/ },
];

const why = problem();
if (why !== undefined) console.log(`full disks are not tested, none can be mounted here: ${why}`);

for (const { name, disk, size, code, says } of CASES) {
  Deno.test({
    name: `a task on a full disk ${name} ends with the right files or a clear word, and is completed with room`,
    ignore: why !== undefined,
    fn: () =>
      inPlace(async (place) => {
        const out = Deno.makeTempDirSync();
        await using server = await serveWire(({ body }) => {
          const head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
          const text = head + wired(nextTurn(body, "chat"), "chat", seeded(1)).events.join("");
          return [{ type: "write", bytes: new TextEncoder().encode(text) }, { type: "close" }];
        });
        try {
          const { ws, home, sessions, temporary } = place;
          Deno.mkdirSync(sessions, { recursive: true });
          Deno.mkdirSync(join(home, ".sandpiper", "agent"), { recursive: true });
          Deno.writeTextFileSync(join(home, ".sandpiper", "agent", "settings.json"), JSON.stringify({ retry: RETRY }));
          const task = { place, baseUrl: `${server.origin}/v1`, api: "chat", goesOn: false } as const;
          // The model of this task tries again for ever.
          const args = ["--max-turns", "20", ...argumentsOf(task)];
          const ran = await run({ name: "in a namespace", command: ["unshare"] }, [
            ...[...UNSHARE, "sh", "-c", SCRIPT, "sh", disk(place), size, out, ws, args.at(-1)!],
            ...PROGRAM.command,
            ...args.slice(0, -1),
          ], { cwd: ws, env: { HOME: home, TMPDIR: temporary, OPENAI_API_KEY: KEY } });
          assertEquals(ran.code, 0, ran.stderr);
          const read = (file: string): string => Deno.readTextFileSync(join(out, file));
          assertEquals(Number(read("1.code")), code, read("1.err"));
          assertMatch(read("1.err"), says);
          assertEquals([Number(read("2.code")), read("2.out").trimEnd().endsWith(DONE)], [0, true], read("2.err"));
          const isOn = (folder: string): string => disk(place) === folder ? join(out, "after") : folder;
          assertFiles(isOn(ws), false);
          const kept = disk(place) === home ? join(out, "after", "sessions") : isOn(sessions);
          assertSession({ ...place, sessions: kept }, true);
          // Where the home has no room the binary keeps its skills here (docs/skills.md).
          await assertTidy({ ...place, sessions: kept }, disk(place) === home ? [`sandpiper-files-${Deno.uid()}`] : []);
        } finally {
          Deno.removeSync(out, { recursive: true });
        }
      }),
  });
}

asOrdinaryUser("full disks as an ordinary user", fromFileUrl(import.meta.url));
