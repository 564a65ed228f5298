// The world of the runner's tests: a workspace with a file, a place outside of it with a secret, and a policy over them.
import { dirname, join } from "@std/path";
import type { Policy, Scope } from "../../src/core/policy.ts";

/** A temporary workspace `root` and a folder `outside` beside it; both go when it is disposed. */
export interface World extends Disposable {
  readonly root: string;
  readonly outside: string;
}

export function world(): World {
  const base = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sandpiper-runner-" }));
  const [root, outside] = [`${base}/work`, `${base}/outside`];
  for (const folder of [root, outside, `${base}/tmp`]) Deno.mkdirSync(folder);
  Deno.writeTextFileSync(`${root}/a.txt`, "inside\n");
  Deno.writeTextFileSync(`${outside}/secret.txt`, "secret\n");
  return { root, outside, [Symbol.dispose]: () => Deno.removeSync(base, { recursive: true }) };
}

export const scope = (...list: string[]): Scope => ({ all: false, list });

/** Read and write in `root`, nothing else, unless told otherwise. */
export function policyFor(root: string, given: Partial<Policy> = {}): Policy {
  return {
    root,
    home: "/home/nobody",
    tmp: join(dirname(root), "tmp"),
    cache: root,
    read: scope(root),
    write: scope(root),
    run: scope(),
    net: scope(),
    env: {},
    denyRead: [],
    denyWrite: [],
    protected: [],
    limits: {
      bashTimeoutMs: 120_000,
      bashMaxTimeoutMs: 600_000,
      outputBytes: 65_536,
      outputLines: 2000,
      fileBytes: 2 ** 32,
      openFiles: 4096,
      processes: 512,
      memoryBytes: 2 ** 31,
    },
    sandbox: "off",
    ...given,
  };
}
