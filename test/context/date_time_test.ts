import { assertEquals } from "@std/assert";

const MARCH = Date.UTC(2026, 2, 7, 14, 55, 5);
const CASES = [
  { at: MARCH, zone: "America/Chicago", text: "Saturday, March 7, 2026 at 08:55:05 AM CST" },
  { at: Date.UTC(2026, 6, 1, 17, 0, 0), zone: "America/Chicago", text: "Wednesday, July 1, 2026 at 12:00:00 PM CDT" },
  { at: Date.UTC(2026, 11, 31, 0, 0, 9), zone: "UTC", text: "Thursday, December 31, 2026 at 12:00:09 AM UTC" },
  { at: MARCH, zone: "Asia/Kolkata", text: "Saturday, March 7, 2026 at 08:25:05 PM GMT+5:30" },
  { at: MARCH, zone: "Europe/London", text: "Saturday, March 7, 2026 at 02:55:05 PM GMT" },
] as const;

Deno.test("formatDateTime() R21 writes a moment as the machine's own zone has it", async () => {
  const zones = ["America/Chicago", "America/St_Johns", "Pacific/Honolulu", "Asia/Kolkata", "Europe/London", "UTC"];
  const module = new URL("../../src/context/date_time.ts", import.meta.url);
  const moments = [
    ...CASES.map(({ at }) => at),
    Date.UTC(2026, 6, 1, 5, 4, 3),
    Date.UTC(2026, 0, 1, 12, 0, 0),
    Date.UTC(2027, 9, 31, 23, 59, 59),
  ];
  const code = `import { formatDateTime } from "${module}";
    console.log(JSON.stringify(${JSON.stringify(moments)}.map((at) => formatDateTime(at))));`;
  const found = await Promise.all(zones.map(async (zone) => {
    const { stdout } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--no-config", `data:text/typescript,${encodeURIComponent(code)}`],
      env: { TZ: zone },
    }).output();
    return JSON.parse(new TextDecoder().decode(stdout));
  }));
  assertEquals(found, zones.map((zone) => moments.map((at) => zonedDateTime(at, zone))));
  assertEquals(CASES.map(({ zone }, index) => found[zones.indexOf(zone)][index]), CASES.map(({ text }) => text));
});

/** The same by the platform's own tables. */
function zonedDateTime(epochMs: number, zone: string): string {
  const parts = new Intl.DateTimeFormat("en-US", {
    timeZone: zone,
    weekday: "long",
    month: "long",
    day: "numeric",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h12",
    timeZoneName: "short",
  }).formatToParts(epochMs);
  const get = (type: Intl.DateTimeFormatPartTypes) => parts.find((part) => part.type === type)?.value ?? "";
  return `${get("weekday")}, ${get("month")} ${get("day")}, ${get("year")} at ` +
    `${get("hour")}:${get("minute")}:${get("second")} ${get("dayPeriod")} ${get("timeZoneName")}`;
}
