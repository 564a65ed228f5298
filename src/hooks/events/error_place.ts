let known: readonly string[] = [];

/** Tells which files are the extension's own. */
export function keepPaths(paths: readonly string[]): void {
  known = paths;
}

/** What was thrown, with the file and line of the extension's source from which it came, where that is known. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack } = error;
  const text = name === "Error" || message.startsWith(`${name}:`) ? message : `${name}: ${message}`;
  const place = placeIn(String(stack ?? ""));
  return place === undefined || text.includes(place) ? text : `${text} (${place})`;
}

/** The first place of a stack that lies in one of the extension's files: `path:line:column`. */
function placeIn(stack: string): string | undefined {
  for (const line of stack.split("\n")) {
    const path = known.find((candidate) => line.includes(candidate));
    const place = path === undefined ? null : /(?:, <anonymous>)?:(\d+):(\d+)\)?$/.exec(line);
    if (place) return `${path}:${place[1]}:${place[2]}`;
  }
  return undefined;
}
