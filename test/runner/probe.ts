// Tries everything that tools have no business with, and says what came of it. Runs in place of the tools, in a process
// or a worker with their permissions.

/** For each attempt "allowed", "refused" for want of a permission, or what else went wrong. */
export async function probe(outside: string): Promise<Record<string, string>> {
  const attempts: Readonly<Record<string, () => unknown>> = {
    envOne: () => Deno.env.get("OPENAI_API_KEY"),
    envAll: () => Deno.env.toObject(),
    netFetch: () => fetch("http://127.0.0.1:4507/"),
    netConnect: () => Deno.connect({ hostname: "127.0.0.1", port: 9 }),
    netListen: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
    run: () => new Deno.Command("/bin/true").outputSync(),
    ffi: () => Deno.dlopen("libc.so.6", {}).close(),
    sys: () => Deno.hostname(),
    import: () => import("https://127.0.0.1:9/" + "x.js"),
    readOutside: () => Deno.readTextFileSync(`${outside}/secret.txt`),
    readLinked: () => Deno.readDirSync(outside),
    writeOutside: () => Deno.writeTextFileSync(`${outside}/new.txt`, ""),
    linkOutside: () => Deno.linkSync(`${outside}/secret.txt`, `${outside}/link.txt`),
    environ: () => Deno.readTextFileSync("/proc/self/environ"),
  };
  const found: Record<string, string> = {};
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      found[name] = "allowed";
    } catch (error) {
      const text = error instanceof Error ? error.message : "";
      found[name] = /^Requires \w+ access/.test(text) ? "refused" : `${error}`;
    }
  }
  return found;
}

/** What `probe` must find. */
export const REFUSED: Readonly<Record<string, string>> = {
  envOne: "refused",
  envAll: "refused",
  netFetch: "refused",
  netConnect: "refused",
  netListen: "refused",
  run: "refused",
  ffi: "refused",
  sys: "refused",
  import: "refused",
  readOutside: "refused",
  readLinked: "refused",
  writeOutside: "refused",
  linkOutside: "refused",
  environ: "refused",
};
