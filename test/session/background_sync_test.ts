import { assertEquals, assertThrows } from "@std/assert";
import { until } from "../helpers/until.ts";
import { type BackgroundSync, backgroundSync } from "../../src/session/session_file.ts";

interface Room {
  readonly sync: BackgroundSync;
  readonly path: string;
  /** How often the disk was asked; `hold` keeps it from answering until `release`. */
  readonly asked: () => number;
  readonly hold: () => { readonly release: () => void };
}

/** What a disk did cannot be seen; what it was asked for can. */
async function withSync(work: (room: Room) => Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync();
  const { syncData } = Deno.FsFile.prototype;
  let asked = 0;
  let gate: Promise<void> = Promise.resolve();
  Deno.FsFile.prototype.syncData = async function () {
    asked++;
    await gate;
    await syncData.call(this);
  };
  const path = `${folder}/file`;
  const file = Deno.openSync(path, { write: true, create: true });
  const sync = backgroundSync(path, file);
  try {
    await work({
      sync,
      path,
      asked: () => asked,
      hold() {
        const { promise, resolve } = Promise.withResolvers<void>();
        gate = promise;
        return { release: resolve };
      },
    });
  } finally {
    sync.close();
    file.close();
    Object.assign(Deno.FsFile.prototype, { syncData });
    Deno.removeSync(folder, { recursive: true });
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

Deno.test("start() asks the disk after whoever called has gone on, and once more for all that came meanwhile", () =>
  withSync(async ({ sync, asked, hold }) => {
    const { release } = hold();
    sync.start();
    assertEquals(asked(), 0);
    await until(() => asked() === 1);
    for (let i = 0; i < 5; i++) sync.start();
    await turn();
    assertEquals(asked(), 1);
    release();
    await until(() => asked() === 2);
    await until(() => !sync.takeOver());
    assertEquals(asked(), 2);
    sync.check();
  }));

Deno.test("start() puts on the disk together what follows within a moment", () =>
  withSync(async ({ sync, asked }) => {
    // A busy machine may take longer from one to the next than the moment is.
    await until(async () => {
      const before = asked();
      sync.start();
      await new Promise((resolve) => setTimeout(resolve, 0));
      const isWithin = asked() === before;
      sync.start();
      await until(() => asked() > before);
      await until(() => !sync.takeOver());
      return isWithin && asked() === before + 1;
    });
  }));

Deno.test("takeOver() says whether something is open, and keeps what has not begun from beginning", () =>
  withSync(async ({ sync, asked, hold }) => {
    assertEquals(sync.takeOver(), false);
    sync.start();
    assertEquals([sync.takeOver(), sync.takeOver()], [true, false]);
    await turn();
    assertEquals(asked(), 0);
    const { release } = hold();
    sync.start();
    await until(() => asked() === 1);
    // What runs cannot be taken back: it stays open until the disk has answered.
    assertEquals([sync.takeOver(), sync.takeOver()], [true, true]);
    release();
    await until(() => !sync.takeOver());
  }));

Deno.test("check() throws what an earlier one failed with: the file is gone, or another stands in its place", async () => {
  for (const isReplaced of [false, true]) {
    await withSync(async ({ sync, path, asked }) => {
      Deno.removeSync(path);
      if (isReplaced) Deno.writeTextFileSync(path, "another");
      sync.start();
      sync.check();
      const hasFailed = (): boolean => {
        try {
          return sync.check() !== undefined;
        } catch {
          return true;
        }
      };
      await until(hasFailed);
      assertThrows(() => sync.check(), Deno.errors.NotFound);
      assertEquals(asked(), 0);
    });
  }
});

Deno.test("close() ends what waits, tells nothing of what runs, and may be called twice", () =>
  withSync(async ({ sync, asked, hold }) => {
    sync.start();
    const { release } = hold();
    await until(() => asked() === 1);
    sync.start();
    sync.close();
    sync.close();
    release();
    await until(() => !sync.takeOver());
    sync.check();
    assertEquals(asked(), 1);
  }));
