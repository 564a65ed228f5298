// The server of a schedule: the model of the task, with what happens to its replies on the way.
import { drawFault, type Fault, type Outcome, type Scene } from "./faults.ts";
import type { Seeded } from "../helpers/seeded.ts";
import { type Api, nextTurn } from "./task.ts";
import { type Act, type Asked, serveWire, type Wire } from "./wire.ts";

/** More requests than any schedule needs: a run that asks for ever ends here. */
const MOST_REQUESTS = 400;

/** A server for one task; from `calm()` on nothing happens any more. */
export interface FaultyModel extends AsyncDisposable {
  readonly baseUrl: string;
  /** What happened to the requests so far. */
  readonly happened: readonly { readonly name: string; readonly outcome: Outcome }[];
  /** What was wrong with the requests themselves. */
  readonly complaints: readonly string[];
  calm(): void;
}

/** What a schedule wants of its server. */
export interface Course {
  readonly random: Seeded;
  readonly api: Api;
  /** Share of the requests to which nothing happens. */
  readonly calmShare: number;
  /** What is not drawn: a whole program's clock cannot be set. */
  readonly without?: readonly string[];
  readonly jump: (ms: number) => void;
  /** Called when a reply has begun that never ends. */
  readonly onHang: () => void;
}

/** Serves the task's model on the loopback address. */
export async function serveFaulty(course: Course): Promise<FaultyModel> {
  const happened: { name: string; outcome: Outcome }[] = [];
  const complaints: string[] = [];
  let isCalm = false;
  let requests = 0;

  function answer(asked: Asked): readonly Act[] {
    if (asked.path === "/loop") return plain("307 Temporary", "", { location: "/loop" });
    if (asked.method !== "POST") return plain("404 Not Found", `no ${asked.method} here`);
    try {
      if (++requests > MOST_REQUESTS) throw new Error("the run goes round in circles");
      const turn = nextTurn(asked.body, course.api);
      const { random, api, jump } = course;
      const scene: Scene = { turn, api, random, jump, path: asked.path };
      const fault = isCalm ? drawFault(random, 1) : draw();
      happened.push({ name: fault.name, outcome: fault.outcome });
      const acts = fault.acts(scene);
      if (fault.outcome === "hang") setTimeout(course.onHang, 30);
      return acts;
    } catch (error) {
      complaints.push(String(error));
      return plain("400 Bad Request", String(error));
    }
  }

  function draw(): Fault {
    const fault = drawFault(course.random, course.calmShare);
    return course.without?.includes(fault.name) ? draw() : fault;
  }

  const wire: Wire = await serveWire(answer);
  return {
    baseUrl: `${wire.origin}/v1`,
    happened,
    complaints,
    calm: () => void (isCalm = true),
    [Symbol.asyncDispose]: () => wire[Symbol.asyncDispose](),
  };
}

function plain(status: string, body: string, headers: Readonly<Record<string, string>> = {}): Act[] {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const head = `HTTP/1.1 ${status}\r\n${lines}content-length: ${body.length}\r\n\r\n`;
  return [{ type: "write", bytes: new TextEncoder().encode(head + body) }];
}

/** How a run may end to which these things happened. */
export function endings(happened: FaultyModel["happened"], maxRetries: number): ReadonlySet<"done" | "error" | "hang"> {
  let [fewest, most] = [0, 0];
  for (const { outcome } of happened) {
    if (outcome === "hang") return new Set(["hang"]);
    if (outcome === "final") return new Set(["error"]);
    if (outcome === "reply") [fewest, most] = [0, 0];
    else if (outcome !== "again") {
      most++;
      fewest = outcome === "either" ? 0 : fewest + 1;
    }
    if (fewest > maxRetries) return new Set(["error"]);
  }
  return new Set(most > maxRetries ? ["done", "error"] : ["done"]);
}
