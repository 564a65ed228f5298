/** A session's own id may be chosen by its caller; it becomes part of a file name. */
const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?$/;

/** Whether a text can be a session's id: letters, digits and, inside, `.`, `_`, `-`; at most 128. */
export function isSessionId(text: string): boolean {
  return SESSION_ID.test(text);
}

/** A new session id: a UUID of version 7, so that ids sort by time. `random` gives numbers in [0, 1). */
export function makeSessionId(now: number, random: () => number): string {
  const time = now.toString(16).padStart(12, "0").slice(-12);
  const digits = Array.from({ length: 19 }, () => Math.floor(random() * 16).toString(16));
  digits[3] = (8 + Math.floor(random() * 4)).toString(16); // the variant that RFC 9562 asks for
  const tail = digits.join("");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-${tail.slice(3, 7)}-${tail.slice(7)}`;
}

/** An entry id, 8 hex digits, that is not taken yet. */
export function makeEntryId(random: () => number, isTaken: (id: string) => boolean): string {
  let number = Math.floor(random() * 0x1_0000_0000);
  // Counting on from a taken one ends even with a random source that repeats itself.
  while (isTaken(hex8(number))) number = (number + 1) % 0x1_0000_0000;
  return hex8(number);
}

function hex8(number: number): string {
  return number.toString(16).padStart(8, "0");
}
