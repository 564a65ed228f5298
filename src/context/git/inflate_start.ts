// The first bytes of a zlib stream (RFC 1950, RFC 1951). `node:zlib` would do, but loading it takes 80 ms on some
// versions of Deno, and of a commit only the first line is wanted.

/** Symbols by their code with a 1 in front, so that codes of unlike lengths differ. */
type Codes = ReadonlyMap<number, number>;

/** The shortest length of each symbol from 257, and how many bits are added to it. */
const LENGTH_BASE = "3 4 5 6 7 8 9 10 11 13 15 17 19 23 27 31 35 43 51 59 67 83 99 115 131 163 195 227 258".split(" ")
  .map(Number);
const LENGTH_BITS = "0 0 0 0 0 0 0 0 1 1 1 1 2 2 2 2 3 3 3 3 4 4 4 4 5 5 5 5 0".split(" ").map(Number);
/** The order in which a block lists the lengths of the codes for lengths. */
const LENGTHS_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** The first `most` bytes that a zlib stream stands for, fewer where it ends. Throws where it is broken or cut before. */
export function inflateStart(input: Uint8Array, most: number): Uint8Array {
  const [method = 0, flags = 0] = input;
  if ((method & 15) !== 8 || (flags & 32) !== 0 || (method << 8 | flags) % 31 !== 0) throw new Error("Not zlib");
  const output: number[] = [];
  const isFull = (): boolean => output.length >= most;
  const take = bitsOf(input, 2);

  for (let isLast = false; !isLast && !isFull();) {
    isLast = take(1) === 1;
    const kind = take(2);
    if (kind === 0) copyStored(take, output, isFull);
    else if (kind === 1) expand(take, fixedLiterals(), codesFor(Array<number>(30).fill(5)), output, isFull);
    else if (kind === 2) expand(take, ...readCodes(take), output, isFull);
    else throw new Error("No such kind of block");
  }
  return Uint8Array.from(output.slice(0, most));
}

/** Takes `count` bits, the lowest first; negative: skips to the next whole byte. */
function bitsOf(input: Uint8Array, start: number): (count: number) => number {
  let at = start * 8;
  return (count) => {
    if (count < 0) at = Math.ceil(at / 8) * 8;
    let value = 0;
    for (let i = 0; i < count; i++, at++) {
      const byte = input[at >> 3];
      if (byte === undefined) throw new RangeError("The stream is cut");
      value |= (byte >> (at & 7) & 1) << i;
    }
    return value;
  };
}

function copyStored(take: (count: number) => number, output: number[], isFull: () => boolean): void {
  take(-1);
  const length = take(16);
  if ((take(16) ^ 0xffff) !== length) throw new Error("The length of a stored block is wrong");
  for (let i = 0; i < length && !isFull(); i++) output.push(take(8));
}

function expand(
  take: (count: number) => number,
  literals: Codes,
  distances: Codes,
  output: number[],
  isFull: () => boolean,
): void {
  while (!isFull()) {
    const symbol = decode(take, literals);
    if (symbol === 256) return;
    if (symbol < 256) {
      output.push(symbol);
      continue;
    }
    const base = LENGTH_BASE[symbol - 257];
    if (base === undefined) throw new Error("No such length");
    const length = base + take(LENGTH_BITS[symbol - 257] ?? 0);
    const distance = readDistance(take, decode(take, distances));
    if (distance > output.length) throw new Error("A distance leads before the start");
    for (let i = 0; i < length && !isFull(); i++) output.push(output[output.length - distance] ?? 0);
  }
}

function readDistance(take: (count: number) => number, symbol: number): number {
  if (symbol > 29) throw new Error("No such distance");
  if (symbol < 4) return symbol + 1;
  const extra = (symbol >> 1) - 1;
  return ((2 + (symbol & 1)) << extra) + 1 + take(extra);
}

function decode(take: (count: number) => number, codes: Codes): number {
  for (let key = 1; key < 1 << 15;) {
    key = key << 1 | take(1);
    const symbol = codes.get(key);
    if (symbol !== undefined) return symbol;
  }
  throw new Error("No such code");
}

/** Codes of a block that brings its own: of literals and lengths, and of distances. */
function readCodes(take: (count: number) => number): [Codes, Codes] {
  const literals = take(5) + 257;
  const distances = take(5) + 1;
  const listed = take(4) + 4;
  const forLengths = Array<number>(19).fill(0);
  for (const symbol of LENGTHS_ORDER.slice(0, listed)) forLengths[symbol] = take(3);
  const codes = codesFor(forLengths);
  const lengths: number[] = [];
  while (lengths.length < literals + distances) {
    const symbol = decode(take, codes);
    if (symbol < 16) {
      lengths.push(symbol);
      continue;
    }
    const repeated = symbol === 16 ? lengths.at(-1) : 0;
    if (repeated === undefined) throw new Error("Nothing to repeat");
    const times = symbol === 16 ? 3 + take(2) : symbol === 17 ? 3 + take(3) : 11 + take(7);
    for (let i = 0; i < times; i++) lengths.push(repeated);
  }
  return [codesFor(lengths.slice(0, literals)), codesFor(lengths.slice(literals, literals + distances))];
}

function fixedLiterals(): Codes {
  return codesFor(
    Array.from({ length: 288 }, (_, symbol) => symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8),
  );
}

/** Codes of symbols by the lengths of their codes (0: unused): shorter ones first, then in the order of the symbols. */
function codesFor(lengths: readonly number[]): Codes {
  const next = Array<number>(17).fill(0);
  for (const length of lengths) if (length > 0) next[length + 1] = (next[length + 1] ?? 0) + 1;
  // Each place holds how many codes the length before has, and then the first code of its own length.
  for (let length = 1; length <= 15; length++) next[length + 1] = 2 * ((next[length] ?? 0) + (next[length + 1] ?? 0));
  const codes = new Map<number, number>();
  for (let symbol = 0; symbol < lengths.length; symbol++) {
    const length = lengths[symbol] ?? 0;
    if (length === 0) continue;
    const code = next[length] ?? 0;
    if (code >= 1 << length) throw new Error("More codes than there can be");
    codes.set(1 << length | code, symbol);
    next[length] = code + 1;
  }
  return codes;
}
