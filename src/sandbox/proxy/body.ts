import { BadRequest, type Framing } from "./http_head.ts";

/** Follows a request's body to its end. */
export interface BodyReader {
  /** How many of these bytes still belong to the body; what comes after them is another request. Throws BadRequest. */
  take(bytes: Uint8Array): number;
  done(): boolean;
}

const [CR, LF] = [13, 10];
/** Longest line about a chunk and longest trailer, bytes. */
const LONGEST_LINE = 256;
const MOST_TRAILERS = 8_192;

/** A reader for a body whose end is told in one of the known ways. */
export function bodyReader(framing: Framing): BodyReader {
  if (framing.kind === "chunked") return chunkReader();
  let left = framing.kind === "length" ? framing.bytes : 0;
  return {
    take(bytes) {
      const taken = Math.min(left, bytes.length);
      left -= taken;
      return taken;
    },
    done: () => left === 0,
  };
}

/** RFC 9112, 7.1: lines with sizes, data, a last size of zero, trailers, an empty line. */
function chunkReader(): BodyReader {
  let state: "size" | "data" | "after data" | "trailers" | "done" = "size";
  let line = "";
  let left = 0;
  let trailers = 0;

  function endLine(): void {
    if (state === "size") {
      const [, digits] = /^([0-9a-f]{1,12})(?:[ \t]*;[\t\x20-\x7e]*)?$/i.exec(line) ?? [];
      if (digits === undefined) throw new BadRequest("the size of a chunk is malformed");
      left = parseInt(digits, 16);
      state = left > 0 ? "data" : "trailers";
    } else if (state === "after data") {
      if (line !== "") throw new BadRequest("a chunk is longer than it says");
      state = "size";
    } else if (line === "") state = "done";
    line = "";
  }

  function character(byte: number): void {
    const ends = line.endsWith("\r");
    if (ends !== (byte === LF)) throw new BadRequest("a line of the body does not end with CR and LF");
    if (ends) {
      line = line.slice(0, -1);
      endLine();
      return;
    }
    line += String.fromCharCode(byte);
    if (state === "trailers") trailers++;
    if (line.length > (state === "trailers" ? MOST_TRAILERS : LONGEST_LINE) || trailers > MOST_TRAILERS) {
      throw new BadRequest("a line of the body is too long");
    }
    if (state === "after data" && byte !== CR) throw new BadRequest("a chunk is longer than it says");
  }

  return {
    take(bytes) {
      let at = 0;
      while (at < bytes.length && state !== "done") {
        if (state === "data") {
          const taken = Math.min(left, bytes.length - at);
          left -= taken;
          at += taken;
          if (left === 0) state = "after data";
        } else {
          character(bytes[at] ?? 0);
          at++;
        }
      }
      return at;
    },
    done: () => state === "done",
  };
}
