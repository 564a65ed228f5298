// install.sh as people run it, over HTTP from this machine, with a script in the place of the binary.
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { dirname, fromFileUrl, join } from "@std/path";
import { type Entry, gzip, tar } from "../../scripts/release/archive.ts";
import { archiveContents } from "../../scripts/release/contents.ts";
import { installationOf } from "../../src/config/installation.ts";
import { targetOf } from "../../src/config/targets.ts";
import { needs } from "../helpers/needs.ts";

const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));
const target = targetOf(Deno.build);
const VERSION = "9.8.7";
const ARCHIVE = `sandpiper-${VERSION}-${target?.name}.tar.gz`;
const SCRIPT = Deno.readTextFileSync(join(root, "packaging/install.sh")).replaceAll("@VERSION@", VERSION);
const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function archive(program = `#!/bin/sh\necho sandpiper ${VERSION}\n`): Uint8Array<ArrayBuffer> {
  assert(target);
  const files: readonly Entry[] = archiveContents(root, target, ARCHIVE.replace(".tar.gz", ""), bytes(program));
  return gzip(tar(files), 1);
}

async function sums(archive: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", archive)).toHex();
  return `${"0".repeat(64)}  other-${ARCHIVE}\n${digest}  ${ARCHIVE}\n`;
}

/** What a server has: files by name, and whether it breaks off in the middle of the archive. */
interface Release {
  readonly files: Readonly<Record<string, Uint8Array<ArrayBuffer>>>;
  readonly breaksOff?: boolean;
}

function serve({ files, breaksOff }: Release): AsyncDisposable & { readonly url: string } {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, (request) => {
    const name = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const found = files[name];
    if (!found) return new Response("<html>not here</html>", { status: 404 });
    if (!breaksOff || name !== ARCHIVE) return new Response(found);
    const half = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start(controller) {
        controller.enqueue(found.subarray(0, found.length / 2));
        controller.close();
      },
    });
    return new Response(half, { headers: { "content-length": `${found.length}` } });
  });
  return { url: `http://127.0.0.1:${server.addr.port}/r`, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** Programs that a run may find, besides what it always needs. */
type Tool = "curl" | "wget" | "sha256sum" | "shasum" | "openssl";
const ALWAYS = "sh uname grep ldd mktemp awk cut sed tar gzip dirname mkdir rmdir cp mv chmod rm cat bash".split(" ");

interface Case {
  readonly name: string;
  readonly tools?: readonly Tool[];
  readonly release?: (good: Release) => Release | Promise<Release>;
  /** What stands below the home before. */
  readonly before?: (home: string) => void;
  readonly prefix?: string;
  readonly script?: string;
  /** In place of the server's own address. */
  readonly base?: string;
  /** The text of a program `wget`, by the server's address. */
  readonly wget?: (url: string) => string;
  /** Part of standard error; nothing where all is well. */
  readonly error?: string;
}

/** As wget does where a server at https leads to http, with which all comes. */
const ledAway = (url: string): string =>
  `#!/bin/sh
for word; do
  case $word in https:*) name=\${word##*/} ;; esac
  [ "\${last-}" != -O ] || out=$word
  last=$word
done
echo '  Location: http://127.0.0.1/r' >&2
exec /usr/bin/wget -q -O "$out" "${url}/$name"
`;

const bad = (name: string, error: string, more: Partial<Case>): Case => ({ name, error, ...more });
const CASES: readonly Case[] = [
  { name: "all is right" },
  { name: "with wget and openssl alone", tools: ["wget", "openssl"] },
  {
    name: "an older one is there, which runs",
    before: (home) => {
      Deno.mkdirSync(`${home}/.local/bin`, { recursive: true });
      Deno.writeTextFileSync(`${home}/.local/bin/sandpiper`, "#!/bin/sh\necho old\n", { mode: 0o755 });
    },
  },
  { name: "a folder with a blank and a quote in its name", prefix: "a b'c" },
  bad("a changed archive", "names", {
    release: ({ files }) => ({ files: { ...files, [ARCHIVE]: archive("#!/bin/sh\necho changed\n") } }),
  }),
  bad("a cut archive", "it is damaged, or somebody changed it", {
    release: ({ files }) => ({ files: { ...files, [ARCHIVE]: archive().subarray(0, 500) } }),
  }),
  bad("a server that breaks off", "cannot be fetched whole", { release: (good) => ({ ...good, breaksOff: true }) }),
  bad("no checksums", "SHA256SUMS cannot be fetched whole", {
    release: ({ files }) => ({ files: { [ARCHIVE]: files[ARCHIVE] ?? bytes("") } }),
  }),
  bad("checksums of other files alone", `does not name ${ARCHIVE}`, {
    release: ({ files }) => ({ files: { ...files, SHA256SUMS: bytes(`${"0".repeat(64)}  other-${ARCHIVE}\n`) } }),
  }),
  bad("a program that does not run", "the program does not run on this system", {
    release: async () => {
      const broken = archive("#!/bin/sh\nexit 1\n");
      return { files: { [ARCHIVE]: broken, SHA256SUMS: bytes(await sums(broken)) } };
    },
  }),
  bad("no program for checksums", "nothing is installed unchecked", { tools: ["curl"] }),
  bad("neither curl nor wget", "neither curl nor wget is there", { tools: ["sha256sum"] }),
  bad("a folder that cannot be made", "cannot be made; set SANDPIPER_PREFIX", { prefix: "/proc/sandpiper" }),
  bad("a file in the folder's place", "cannot be made; set SANDPIPER_PREFIX", {
    before: (home) => Deno.writeTextFileSync(`${home}/.local`, "mine"),
  }),
  bad("completions that cannot be written", "cannot be made; set SANDPIPER_PREFIX", {
    before: (home) => {
      Deno.mkdirSync(`${home}/.local/share`, { recursive: true });
      Deno.writeTextFileSync(`${home}/.local/share/zsh`, "mine");
    },
  }),
  bad("a link that something else made", "is a link, which something else put there", {
    before: (home) => {
      Deno.mkdirSync(`${home}/.local/bin`, { recursive: true });
      Deno.symlinkSync("../lib/node_modules/sandpiper/bin/sandpiper", `${home}/.local/bin/sandpiper`);
    },
  }),
  bad("an address that anyone on the way could answer for", "use https", { base: "http://127.0.0.1.test/r" }),
  bad("the same, written in another way", "use https", { base: "Http://192.0.2.1/r" }),
  bad("with wget, a server that leads from https to http", "cannot be fetched whole", {
    base: "https://127.0.0.1:1/r",
    tools: ["sha256sum"],
    wget: ledAway,
  }),
  bad("the script of the sources", "take install.sh of a release", {
    script: Deno.readTextFileSync(join(root, "packaging/install.sh")),
  }),
  // Cut inside of its last function: as when the connection breaks while it is piped into a shell.
  bad("a script that is cut", "", { script: SCRIPT.slice(0, SCRIPT.lastIndexOf("printf 'sandpiper %s")) }),
];

for (const one of CASES) {
  const { name, tools = ["curl", "sha256sum"], release, before, prefix, script = SCRIPT, base, wget, error } = one;
  Deno.test({
    ...needs(
      tools,
      `install.sh ${error === undefined ? "installs" : "leaves everything as it was"}: ${name}`,
      Deno.build.os !== "linux",
    ),
    fn: async () => {
      const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-install-" }));
      const [home, temp, bin] = [join(folder, "home"), join(folder, "tmp"), join(folder, "bin")];
      try {
        for (const made of [home, temp, bin]) Deno.mkdirSync(made);
        for (const tool of [...ALWAYS, ...tools]) link(tool, bin);
        before?.(home);
        const was = tree(home);
        const whole = archive();
        const good: Release = { files: { [ARCHIVE]: whole, SHA256SUMS: bytes(await sums(whole)) } };
        await using server = serve(await release?.(good) ?? good);
        if (wget) Deno.writeTextFileSync(`${bin}/wget`, wget(server.url), { mode: 0o755 });
        const place = prefix === undefined
          ? join(home, ".local")
          : prefix.startsWith("/")
          ? prefix
          : join(home, prefix);
        const child = new Deno.Command("/bin/dash", {
          clearEnv: true,
          env: {
            ...{ HOME: home, PATH: bin, TMPDIR: temp, SANDPIPER_BASE_URL: base ?? server.url },
            ...(prefix === undefined ? {} : { SANDPIPER_PREFIX: place }),
          },
          cwd: folder,
          stdin: "piped",
          stdout: "piped",
          stderr: "piped",
        }).spawn();
        const input = child.stdin.getWriter();
        await input.write(bytes(script)).catch(() => {});
        await input.close().catch(() => {});
        const ended = await child.output();
        const [said, errors] = [ended.stdout, ended.stderr].map((text) => new TextDecoder().decode(text));
        assertEquals(tree(temp), [], "temporary files");
        if (error !== undefined) {
          assert(ended.code !== 0, said);
          assertStringIncludes(errors ?? "", error);
          assertEquals(tree(home), was);
          return;
        }
        assertEquals(ended.code, 0, errors);
        const program = join(place, "bin/sandpiper");
        assertEquals(
          tree(place).filter((path) => !path.endsWith("/")),
          [
            "bin/sandpiper -rwxr-xr-x",
            "share/bash-completion/completions/sandpiper -rw-r--r--",
            "share/fish/vendor_completions.d/sandpiper.fish -rw-r--r--",
            "share/man/man1/sandpiper.1 -rw-r--r--",
            "share/sandpiper/install-receipt -rw-r--r--",
            "share/zsh/site-functions/_sandpiper -rw-r--r--",
          ],
        );
        assertStringIncludes(Deno.readTextFileSync(program), VERSION);
        assertStringIncludes(said ?? "", `sandpiper ${VERSION} is installed: ${program}\n`);
        assertStringIncludes(said ?? "", "is not in your PATH");
        const { by, update } = installationOf(program);
        assertEquals(by, "install.sh");
        assertStringIncludes(update, prefix === undefined ? `SANDPIPER_PREFIX=${place}` : `SANDPIPER_PREFIX='`);
      } finally {
        Deno.removeSync(folder, { recursive: true });
      }
    },
  });
}

/** Makes a program found in `bin`; without the program nothing is, and a case that needs it fails. */
function link(tool: string, bin: string): void {
  for (const folder of ["/usr/bin", "/bin"]) {
    try {
      Deno.statSync(join(folder, tool));
      return Deno.symlinkSync(join(folder, tool), join(bin, tool));
    } catch {
      // Not in this folder.
    }
  }
}

/** Everything below a folder: folders, and files with their rights. */
function tree(folder: string, at = ""): string[] {
  let entries: Deno.DirEntry[];
  try {
    entries = [...Deno.readDirSync(join(folder, at))];
  } catch {
    return [];
  }
  return entries.sort((a, b) => a.name < b.name ? -1 : 1).flatMap(({ name, isDirectory, isSymlink }) => {
    const path = at === "" ? name : `${at}/${name}`;
    if (isDirectory) return [`${path}/`, ...tree(folder, path)];
    if (isSymlink) return [`${path} -> ${Deno.readLinkSync(join(folder, path))}`];
    const mode = Deno.statSync(join(folder, path)).mode ?? 0;
    const rights = [...`${(mode & 0o777).toString(8)}`].map((digit) =>
      ["r", "w", "x"].map((right, i) => Number(digit) & (4 >> i) ? right : "-").join("")
    );
    return [`${path} -${rights.join("")}`];
  });
}
