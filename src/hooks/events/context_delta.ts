// The messages of a context event go to a worker once: from then on only what is new. A long conversation would otherwise
// be copied for every extension before every request, whether a handler looks at it or not.

/** JSON texts of a list's messages, each made once for as long as the message lives; messages never change. */
export function messageTexts(): (messages: readonly object[]) => readonly string[] {
  const known = new WeakMap<object, string>();
  return (messages) =>
    messages.map((message) => {
      const text = known.get(message) ?? JSON.stringify(message);
      known.set(message, text);
      return text;
    });
}

/** What makes `now` of `before`: how many are kept, the lengths of the new ones, and their texts. */
export function contextDelta(before: readonly string[], now: readonly string[]): string {
  let kept = 0;
  while (kept < before.length && kept < now.length && before[kept] === now[kept]) kept++;
  const added = now.slice(kept);
  return `${[kept, ...added.map((text) => text.length)].join(" ")}\n${added.join("")}`;
}

/** The list that a delta makes of the one before. */
export function applyDelta(before: readonly string[], delta: string): readonly string[] {
  const end = delta.indexOf("\n");
  const [kept = 0, ...lengths] = delta.slice(0, end).split(" ").map(Number);
  const list = before.slice(0, kept);
  let at = end + 1;
  for (const length of lengths) {
    list.push(delta.slice(at, at + length));
    at += length;
  }
  return list;
}

/** JSON text of a context event with these messages. */
export function contextText(messages: readonly string[]): string {
  return `{"type":"context","messages":[${messages.join(",")}]}`;
}
