// A real session in a temporary workspace: real tools behind the real sandbox, a cassette for the model.
import { configure } from "../../src/config/config.ts";
import { openEngine } from "../../src/engine/engine.ts";
import type { EngineOptions } from "../../src/engine/parts.ts";
import { firstModel } from "../../src/engine/model/first_model.ts";
import { parseCommandLine } from "../../src/config/options/parse.ts";
import type { World } from "../../src/config/host_environment.ts";
import type { Engine } from "../../src/core/engine.ts";
import type { AgentEvent } from "../../src/core/event.ts";
import { textOf } from "../../src/core/message.ts";
import { libc } from "../../src/sandbox/system/ffi.ts";
import { cassette } from "../helpers/program.ts";

// Opened once in a process and never closed: the first test that needs it must not be blamed for it.
if (Deno.build.os === "linux") libc();

/** An open session of a test. */
export interface Session {
  readonly engine: Engine;
  readonly ws: string;
  readonly home: string;
  /** Everything that happened so far. */
  readonly events: readonly AgentEvent[];
  /** Runs one prompt. */
  readonly say: (text: string) => Promise<string>;
}

/** What a test's session is opened with. */
export interface SessionOptions extends Partial<Omit<EngineOptions, "config" | "choice">> {
  readonly replies: readonly unknown[];
  readonly files?: Readonly<Record<string, string>>;
  readonly settings?: object;
  readonly args?: readonly string[];
  /** The model's key, which no variable of the process holds. */
  readonly key?: string;
  /** Joins the environment of the process. */
  readonly env?: Readonly<Record<string, string>>;
  /** Nothing on the command line names the model. */
  readonly unnamed?: boolean;
  /** A home and workspace of an earlier session of the test. */
  readonly at?: { readonly ws: string; readonly home: string };
}

/** Opens a session, works with it and ends it; everything is removed afterwards, but for a place that was given. */
export async function withSession(options: SessionOptions, work: (session: Session) => Promise<void>): Promise<void> {
  const { replies, files = {}, settings, args = [], key, env = {}, unnamed, at, ...rest } = options;
  const top = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "sp-engine-" }));
  const { ws, home } = at ?? { ws: `${top}/ws`, home: `${top}/home` };
  try {
    Deno.mkdirSync(`${home}/.sandpiper/agent`, { recursive: true });
    Deno.mkdirSync(ws, { recursive: true });
    for (const [name, text] of Object.entries(files)) {
      Deno.mkdirSync(`${ws}/${name}`.replace(/\/[^/]*$/, ""), { recursive: true });
      Deno.writeTextFileSync(`${ws}/${name}`, text);
    }
    if (settings) Deno.writeTextFileSync(`${home}/.sandpiper/agent/settings.json`, JSON.stringify(settings));
    const file = cassette(top, replies);
    const world: World = {
      env: { HOME: home, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", LANG: "C.UTF-8", ...env },
      cwd: ws,
      home,
      stdinIsTerminal: true,
      stdoutIsTerminal: true,
      mayRun: true,
    };
    const config = configure(parseCommandLine([...unnamed ? [] : ["-m", `replay:${file}`], ...args]), world);
    const variable = (name: string): string | undefined => name === "OPENAI_API_KEY" ? key : undefined;
    const choice = await firstModel(config, variable);
    const engine = await openEngine({ config, choice, channel: "interactive", variable, ...rest });
    const events: AgentEvent[] = [];
    engine.subscribe((event) => void events.push(event));
    try {
      await work({
        engine,
        ws,
        home,
        events,
        say: async (text) => {
          await engine.prompt({ text, source: "interactive" });
          const last = engine.messages().findLast((message) => message.role === "assistant");
          return last?.role === "assistant" ? textOf(last.content) : "";
        },
      });
    } finally {
      await engine.close();
    }
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
}
