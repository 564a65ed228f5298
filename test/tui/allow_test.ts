import { assertEquals, assertStringIncludes } from "@std/assert";
import type { SessionDenial } from "../../src/core/engine.ts";
import { until } from "../helpers/until.ts";
import { open } from "./open_app.ts";

const DENIED: SessionDenial = { denial: { kind: "read", target: "/srv/a/x.txt", grant: "/srv/a" }, toolName: "bash" };
const HOST: SessionDenial = {
  denial: { kind: "net", target: "example.com:443", grant: "example.com:443" },
  toolName: "bash",
};
const END = { type: "agent_end", messages: [] } as const;

// A letter counts only if nothing was typed for half a second.
const pause = () => new Promise((later) => setTimeout(later, 600));

/** A screen in which a run with denials has just ended. */
async function afterRun(denials: readonly SessionDenial[]) {
  const opened = await open();
  opened.engine.set({ denials });
  opened.engine.emit({ type: "agent_start" });
  opened.engine.emit(END as never); // the prompts read nothing of it
  return opened;
}

/** Waits until no prompt is shown: the window's title marks one. */
async function noPrompt({ titles }: Awaited<ReturnType<typeof open>>): Promise<void> {
  await until(() => titles.at(-1)?.startsWith("?") === false, () => titles.join());
}

async function leave({ app }: Awaited<ReturnType<typeof open>>): Promise<void> {
  app.quit(0);
  await app.done;
}

Deno.test("a denial without a permission prompt gets one after the run, without an answer for once", async () => {
  const opened = await afterRun([DENIED]);
  const screen = await opened.see("Denied during the run: bash: read /srv/a/x.txt");
  assertEquals(screen.includes("Yes, this once"), false);
  assertStringIncludes(screen, "From now on, a yes lets tools read /srv/a and all that is in it");
  await pause();
  opened.app.input("s");
  opened.app.input("\r");
  await until(() => opened.engine.asked.includes("allow read /srv/a session"), () => opened.engine.asked.join());
  await opened.see("Allowed for this session: read /srv/a/x.txt, with --allow-read=+/srv/a");
  await leave(opened);
});

Deno.test("a denial that was asked about in the run, or after an earlier run, is not offered again", async () => {
  const opened = await open();
  opened.engine.set({ denials: [DENIED, HOST] });
  opened.engine.emit({
    type: "permission_request",
    id: "q",
    toolCallId: "c",
    toolName: "bash",
    denial: DENIED.denial,
  });
  opened.engine.emit(END as never);
  await opened.see("Denied during the run: bash: connect to example.com:443");
  await pause();
  opened.app.input("\x1b");
  await noPrompt(opened);
  opened.engine.emit(END as never);
  opened.app.input("next");
  assertEquals((await opened.see("next")).includes("Denied during the run:"), false);
  assertEquals(opened.engine.asked.filter((line) => line.startsWith("allow")), []);
  await leave(opened);
});

Deno.test("a new run withdraws the prompt", async () => {
  const opened = await afterRun([DENIED]);
  await opened.see("Denied during the run: bash");
  opened.engine.emit({ type: "agent_start" });
  await noPrompt(opened);
  await leave(opened);
});

Deno.test("a run with many denials shows three prompts and says where the others are", async () => {
  const many = [1, 2, 3, 4, 5].map((n): SessionDenial => ({
    denial: { kind: "read", target: `/srv/${n}`, grant: `/srv/${n}` },
    toolName: "bash",
  }));
  const opened = await afterRun(many);
  await opened.see("2 more denials can be allowed: type /allow to see them");
  // The first prompt was drawn with that line.
  for (const n of [2, 3]) {
    await pause();
    opened.app.input("\x1b");
    await opened.see(`read /srv/${n}`);
  }
  await pause();
  opened.app.input("\x1b");
  await noPrompt(opened);
  await leave(opened);
});

Deno.test("/allow WHAT grants a denial of this session for the session or the project", async () => {
  const opened = await open();
  opened.engine.set({ denials: [DENIED, HOST] });
  for (const key of ["/allow example", "\r"]) opened.app.input(key);
  await opened.see("Let tools connect to example.com:443?");
  for (const key of ["\x1b[B", "\x1b[B", "\r"]) opened.app.input(key);
  await until(
    () => opened.engine.asked.includes("allow net example.com:443 project"),
    () => opened.engine.asked.join(),
  );
  await leave(opened);
});

Deno.test("/allow without a denial, and for something else, says what can be done", async () => {
  const opened = await open();
  for (const key of ["/allow", "\r"]) opened.app.input(key);
  await opened.see("There is nothing to allow");
  opened.engine.set({ denials: [DENIED] });
  for (const key of ["/allow /etc/shadow", "\r"]) opened.app.input(key);
  await opened.see('Nothing that was denied contains "/etc/shadow"');
  await leave(opened);
});
