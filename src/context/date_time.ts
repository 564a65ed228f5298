const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"] as const;
const MONTHS = "January February March April May June July August September October November December".split(" ");

/** Zones that have a short name in English (Unicode CLDR, en-US); all others are written as their offset. */
const SHORT_ZONE = /^(Eastern|Central|Mountain|Pacific|Alaska|Hawaii-Aleutian) (Standard|Daylight) Time$/;

/**
 * A moment as the date line writes it, in the machine's own zone: `Saturday, March 7, 2026 at 08:55:05 AM CST` (R21).
 *
 * What `Date` tells of that zone is enough; building an `Intl` formatter costs 15 ms at every start.
 */
export function formatDateTime(epochMs: number): string {
  const date = new Date(epochMs);
  const hours = date.getHours();
  const time = [hours % 12 === 0 ? 12 : hours % 12, date.getMinutes(), date.getSeconds()]
    .map((part) => String(part).padStart(2, "0")).join(":");
  const day = `${WEEKDAYS[date.getDay()]}, ${MONTHS[date.getMonth()]} ${date.getDate()}, ${date.getFullYear()}`;
  return `${day} at ${time} ${hours < 12 ? "AM" : "PM"} ${localZone(date)}`;
}

function localZone(date: Date): string {
  const name = /\((.+)\)$/.exec(date.toString())?.[1] ?? "";
  const known = SHORT_ZONE.exec(name);
  if (known) return `${known[1] === "Hawaii-Aleutian" ? "H" : known[1]?.[0]}${known[2]?.[0]}T`;
  const minutes = -date.getTimezoneOffset();
  if (minutes === 0) return name === "Coordinated Universal Time" ? "UTC" : "GMT";
  const rest = Math.abs(minutes) % 60;
  const hours = Math.trunc(Math.abs(minutes) / 60);
  return `GMT${minutes < 0 ? "-" : "+"}${hours}${rest ? `:${String(rest).padStart(2, "0")}` : ""}`;
}
