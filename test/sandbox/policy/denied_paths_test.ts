import { assertEquals, assertThrows } from "@std/assert";
import { UserError } from "../../../src/core/error.ts";
import { isInside } from "../../../src/core/policy.ts";
import { deniedPaths, refuseKeptAround, sessionDenials } from "../../../src/sandbox/policy/denied_paths.ts";

const LINKS: Readonly<Record<string, string>> = { "/work/link": "/elsewhere/sessions" };
const realPath = (path: string): string => LINKS[path] ?? path;
const PLACES = ["/work", "/tmp/own"];

Deno.test("sessionDenials() denies the place and the name that leads there, unless tools work below it R478", () => {
  const table: readonly (readonly [kept: string, denied: string[], around: string[]])[] = [
    ["/work/.sessions", ["/work/.sessions"], []],
    ["/work/link", ["/work/link", "/elsewhere/sessions"], []],
    ["/home/me/sessions", ["/home/me/sessions"], []],
    // The workspace itself, and what is above it.
    ["/work", [], ["/work"]],
    ["/", [], ["/"]],
    ["/tmp", [], ["/tmp"]],
    ["/workshop", ["/workshop"], []],
  ];
  for (const [kept, denied, around] of table) {
    assertEquals(sessionDenials([kept], PLACES, realPath), { denied, around }, kept);
  }
});

Deno.test("refuseKeptAround() names a folder of its own where tools would reach what is kept", () => {
  const kept = sessionDenials(["/work"], PLACES, realPath);
  const granted = (path: string) => ({ all: false, list: [path] });
  refuseKeptAround(kept, [granted("/work/src")]);
  refuseKeptAround({ denied: ["/work/.sessions"], around: [] }, [granted("/work")]);
  const error = assertThrows(() => refuseKeptAround(kept, [granted("/nowhere"), granted("/work")]), UserError);
  assertEquals(error.fix, "Name a folder for sessions alone: --session-dir /work/sessions");
});

/** Other paths of ~/.ssh where these lines of /proc/self/mountinfo hold; `missing` is not there. */
function namesOfSecret(lines: readonly string[], missing = ""): string[] {
  const { read, write, secrets } = deniedPaths({ all: false, list: [] }, { all: false, list: [] }, {
    ...{ root: "/w", home: "/home/ann", env: {}, readable: [], writable: [], program: [], kept: [] },
    realPath: (path) => path === missing ? undefined : path,
    listFolder: () => [],
    mounts: lines.map((line, at) => `${at} ${placeOf(lines, at)} ${line} rw - ext4 /dev/x rw\n`).join(""),
  });
  const found = [read, write, secrets].map((list) =>
    list.filter((path) => /\/\.ssh$/.test(path) && path !== "/home/ann/.ssh")
  );
  assertEquals(found[1], found[0]);
  assertEquals(found[2], found[0]);
  return found[0] ?? [];
}

/** The mount in which another one was made, when those before it were there. */
function placeOf(lines: readonly string[], at: number): number {
  const points = lines.map((line) => line.split(" ")[2] ?? "");
  return points.slice(0, at).reduce(
    (found, point, id) =>
      isInside(points[at] ?? "", point) && point.length >= (points[found]?.length ?? 0) ? id : found,
    -1,
  );
}

const ROOT = "8:1 / /";

Deno.test("deniedPaths() denies what is secret under each path at which a mount shows it", () => {
  assertEquals(namesOfSecret([ROOT]), []);
  // A home that is bound to its place, and the disk that it comes from.
  assertEquals(namesOfSecret([ROOT, "8:2 / /data", "8:2 /home /home"]), ["/data/home/ann/.ssh"]);
  // Subvolumes of one disk, and all of it elsewhere.
  assertEquals(namesOfSecret(["0:9 /@root /", "0:9 /@home /home", "0:9 / /mnt/all"]), ["/mnt/all/@home/ann/.ssh"]);
  // A bind into a folder, with a blank in its name, and one of the secret alone.
  assertEquals(namesOfSecret([ROOT, "8:1 /home /srv/a\\040b", "8:1 /home/ann/.ssh /x/.ssh"]), [
    "/srv/a b/ann/.ssh",
    "/x/.ssh",
  ]);
  // A part of the secret alone; beside it something that is none.
  assertEquals(namesOfSecret([ROOT, "8:1 /home/ann/.ssh/keys /x/.ssh", "8:1 /home/ann/.sshd /y/.ssh"]), ["/x/.ssh"]);
  // What another mount hides, or is not there, or shows something beside it.
  assertEquals(namesOfSecret([ROOT, "8:1 /home /srv", "0:5 / /srv"]), []);
  assertEquals(namesOfSecret([ROOT, "8:1 /home /srv/in", "0:5 / /srv"]), []);
  // A mount that a later one around it hides says nothing of where the secret lies.
  assertEquals(namesOfSecret([ROOT, "8:3 / /home/ann", "8:2 / /home", "8:2 / /data"]), ["/data/ann/.ssh"]);
  assertEquals(namesOfSecret([ROOT, "8:1 /home /srv"], "/srv/ann/.ssh"), []);
  assertEquals(namesOfSecret([ROOT, "8:1 /home/bob /srv", "8:3 /home /other"]), []);
});

Deno.test("deniedPaths() says what was asked for and what is the program's own, and of neither what may hold secrets", () => {
  const [read, write] = [["/srv/asked", "/home/ann/.ssh/asked", "/opt/own/asked"], ["/srv/fixed", "/home/ann/.ssh"]]
    .map((list = []) => ({ all: false, list }));
  const { deniedFor } = deniedPaths(read ?? { all: false, list: [] }, write ?? { all: false, list: [] }, {
    ...{ root: "/w", home: "/home/ann", env: {}, readable: [], writable: [] },
    program: ["/opt/own"],
    kept: ["/srv/sessions", "/home/ann/.sandpiper/agent/sessions"],
    realPath: (path) => path,
    listFolder: () => [],
  });
  assertEquals(deniedFor, { asked: ["/srv/asked", "/srv/fixed"], own: ["/opt/own", "/srv/sessions"] });
});

Deno.test("deniedPaths() denies the secrets of a home that is the root directory", () => {
  const { read, write, secrets } = deniedPaths({ all: false, list: [] }, { all: false, list: [] }, {
    ...{ root: "/w", home: "/", env: {}, readable: [], writable: [], program: [], kept: [] },
    realPath: (path) => path === "/.aws" ? "/vault/aws" : path,
    listFolder: (path) => path === "/" ? [".aws", ".ssh"] : [],
  });
  for (const list of [read, write, secrets]) {
    assertEquals(["/.ssh", "/.aws", "/vault/aws"].filter((path) => !list.includes(path)), []);
    assertEquals(list.filter((path) => path.startsWith("//")), []);
  }
});
