import type { Invocation } from "../../config/options/parse.ts";

/** `sandpiper batch FILE -o DIR` runs many tasks; `sandpiper batch report DIR` shows what came of them. The exit code. */
export async function batchCommand(invocation: Invocation): Promise<number> {
  if (invocation.words[0] === "report") return (await import("./report.ts")).batchReport(invocation);
  return (await import("./run.ts")).runBatch(invocation);
}
