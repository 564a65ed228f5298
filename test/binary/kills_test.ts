import { BINARY } from "../helpers/program.ts";
import { killHosts, killRunners, KILLS } from "../faults/kills.ts";

Deno.test("binary: a host that is killed at any moment loses nothing that it told R323 R332", () =>
  killHosts(BINARY, KILLS));
Deno.test("binary: a run outlives the death of its runner at any moment", () => killRunners(BINARY, KILLS));
