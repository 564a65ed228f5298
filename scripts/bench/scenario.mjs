// Loads scenarios, and translates their logical tool calls into a peer's own.
import fs from "node:fs";

/** Replaces {{name}} in every string of a JSON value; a string that is exactly one placeholder keeps the value's type. */
export function fill(value, vars) {
  if (typeof value === "string") {
    const whole = /^\{\{([\w.]+)\}\}$/.exec(value);
    if (whole && whole[1] in vars) return vars[whole[1]];
    return value.replace(/\{\{([\w.]+)\}\}/g, (text, name) => (name in vars ? String(vars[name]) : text));
  }
  if (Array.isArray(value)) return value.map((item) => fill(item, vars));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fill(key, vars), fill(item, vars)]));
}

/** Reads a scenario and expands `repeat` in its turns and files; within a repeat, {{i}} counts from 1, in a repeated call {{j}}. */
export function loadScenario(file, given = {}) {
  const scenario = JSON.parse(fs.readFileSync(file, "utf8"));
  const vars = { ...scenario.vars, ...given };
  const times = (count) => Number(fill(String(count ?? 1), vars));
  const each = (count, make) => Array.from({ length: times(count) }, (_, i) => make({ ...vars, i: i + 1 }));
  const turns = scenario.turns.flatMap((turn) =>
    each(turn.repeat, (at) => ({
      ...turn,
      text: String(fill(turn.text ?? "", at)).repeat(times(turn.textRepeat)),
      calls: (turn.calls ?? []).flatMap(({ repeat, ...call }) =>
        repeat ? each(repeat, (inner) => fill(call, { ...at, j: inner.i })) : [fill(call, at)]
      ),
    }))
  );
  const files = {};
  for (const [name, entry] of Object.entries(scenario.files ?? {})) {
    const { text, lines, repeat } = typeof entry === "string" ? { text: entry } : entry;
    each(repeat, (at) => {
      const all = Array.from({ length: times(lines) }, (_, l) => String(fill(text, { ...at, l: l + 1 })));
      files[fill(name, at)] = lines ? all.join("\n") + "\n" : all.join("\n");
    });
  }
  return { ...scenario, vars, turns, files, prompt: fill(scenario.prompt, vars) };
}

/** A logical call `{tool, args}` as the peer's tool name and arguments. */
export function mapCall(call, peer, vars) {
  const mapped = peer.tools?.[call.tool] ?? { name: call.tool, args: call.args };
  const values = { ...vars, ...call.args };
  for (const key of ["old", "new", "content"]) { // patch formats want a sign before each line
    const lines = String(call.args[key] ?? "").replace(/\n$/, "").split("\n");
    values[`${key}_plus`] = lines.map((line) => `+${line}`).join("\n");
    values[`${key}_minus`] = lines.map((line) => `-${line}`).join("\n");
  }
  return { name: mapped.name, args: fill(mapped.args ?? {}, values) };
}
