// The compiler puts a program's payload into a Mach-O file in one of two ways: as a segment of its own before the last one
// (arm64, whose files must be signed), or behind a mark at the end of the last segment (x86_64).

const LC_SEGMENT_64 = 0x19;
const LC_SYMTAB = 0x2;
const LC_DYSYMTAB = 0xb;
const HEADER = 32;
/** Commands whose two numbers are an offset into the last segment and a size (mach-o/loader.h, linkedit_data_command). */
const INTO_LINKEDIT = [0x1d, 0x1e, 0x26, 0x29, 0x2b, 0x2e, 0x80000033, 0x80000034];
/** LC_DYLD_INFO and LC_DYLD_INFO_ONLY: five such pairs. */
const DYLD_INFO = [0x22, 0x80000022];
const MARK = new TextEncoder().encode("<~sui-data~>");

interface Command {
  readonly kind: number;
  readonly at: number;
  readonly size: number;
  /** Of a segment. */
  readonly name: string;
}

/** A 64-bit Mach-O program without the payload that `deno compile` put into it; nothing for another kind of file. */
export function machOPart(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | undefined {
  if (bytes.length < HEADER) return undefined;
  if (new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) !== 0xfeedfacf) return undefined;
  const all = commandsOf(bytes);
  const last = all.find(({ name }) => name === "__LINKEDIT");
  if (!last) return undefined;
  const own = all.find(({ name }) => name === "__SUI");
  return own ? withoutSegment(bytes, all, own, last) : withoutMarked(bytes, all, last);
}

function commandsOf(bytes: Uint8Array<ArrayBuffer>): readonly Command[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const commands: Command[] = [];
  for (let at = HEADER, left = view.getUint32(16, true); left > 0; left--) {
    const [kind, size] = [view.getUint32(at, true), view.getUint32(at + 4, true)];
    const name = new TextDecoder().decode(bytes.subarray(at + 8, at + 24)).replace(/\0+$/, "");
    commands.push({ kind, at, size, name: kind === LC_SEGMENT_64 ? name : "" });
    at += size;
  }
  return commands;
}

/** Takes the segment out, and moves what lay behind it back: in memory and in the file. */
function withoutSegment(
  bytes: Uint8Array<ArrayBuffer>,
  all: readonly Command[],
  own: Command,
  last: Command,
): Uint8Array<ArrayBuffer> {
  const made = bytes.slice();
  const view = new DataView(made.buffer);
  const memory = view.getBigUint64(own.at + 32, true);
  const [from, length] = [Number(view.getBigUint64(own.at + 40, true)), Number(view.getBigUint64(own.at + 48, true))];
  const less = (at: number): void => {
    const offset = view.getUint32(at, true);
    if (offset >= from + length) view.setUint32(at, offset - length, true);
  };
  for (const { kind, at } of all) {
    if (INTO_LINKEDIT.includes(kind)) less(at + 8);
    else if (DYLD_INFO.includes(kind)) { for (let pair = 0; pair < 5; pair++) less(at + 8 + 8 * pair); }
    else if (kind === LC_SYMTAB) [8, 16].forEach((field) => less(at + field));
    else if (kind === LC_DYSYMTAB) [32, 40, 48, 56, 64, 72].forEach((field) => less(at + field));
  }
  view.setBigUint64(last.at + 24, view.getBigUint64(last.at + 24, true) - memory, true);
  view.setBigUint64(last.at + 40, view.getBigUint64(last.at + 40, true) - BigInt(length), true);
  // The list of commands closes up; what is left over at its end is empty.
  const end = HEADER + view.getUint32(20, true);
  made.copyWithin(own.at, own.at + own.size, end);
  made.fill(0, end - own.size, end);
  view.setUint32(16, all.length - 1, true);
  view.setUint32(20, end - HEADER - own.size, true);
  return joined(made.subarray(0, from), made.subarray(from + length));
}

/** Cuts the file at the mark: the last segment and its last part, the strings, end there. */
function withoutMarked(
  bytes: Uint8Array<ArrayBuffer>,
  all: readonly Command[],
  last: Command,
): Uint8Array<ArrayBuffer> {
  const begin = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(last.at + 40, true));
  const end = indexOf(bytes, MARK, begin);
  if (end === undefined) return bytes;
  const made = bytes.slice(0, end);
  const view = new DataView(made.buffer);
  view.setBigUint64(last.at + 48, BigInt(end - begin), true);
  const symbols = all.find(({ kind }) => kind === LC_SYMTAB);
  if (symbols) view.setUint32(symbols.at + 20, end - view.getUint32(symbols.at + 16, true), true);
  return made;
}

function indexOf(bytes: Uint8Array, what: Uint8Array, from: number): number | undefined {
  for (let at = bytes.indexOf(what[0] ?? 0, from); at >= 0; at = bytes.indexOf(what[0] ?? 0, at + 1)) {
    if (what.every((byte, i) => bytes[at + i] === byte)) return at;
  }
  return undefined;
}

function joined(one: Uint8Array<ArrayBuffer>, other: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(one.length + other.length);
  whole.set(one);
  whole.set(other, one.length);
  return whole;
}
