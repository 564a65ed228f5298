import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { until } from "../helpers/until.ts";
import { hasTmux, type Pty } from "./pty.ts";
import { inTerminal, type Places, shown, type WorldOptions } from "./world.ts";

/** What the terminal UI promises, in a real terminal, for the program from source and for the binary alike. */
export function screens(name: string, command: readonly string[]): void {
  function test(title: string, options: WorldOptions, work: (pty: Pty, places: Places) => Promise<void>): void {
    Deno.test({ name: `${name}: ${title}`, ignore: !hasTmux, fn: () => inTerminal({ command, ...options }, work) });
  }

  const SLOW = { calls: [{ name: "bash", args: { command: "echo begun; sleep 20" } }] };
  const READY = "write: .";

  /** Everything that was switched on is off again; what the cursor and the keys do is nobody's to find out later. */
  function assertGivenBack(written: string): void {
    const last = (sequence: string): number => written.lastIndexOf(sequence);
    const pairs = [["\x1b[?2004h", "\x1b[?2004l"], ["\x1b[?1004h", "\x1b[?1004l"], ["\x1b[>1u", "\x1b[<u"], [
      "\x1b[?25l",
      "\x1b[?25h",
    ], [
      "\x1b[?7l",
      "\x1b[?7h",
    ], ["\x1b[?2026h", "\x1b[?2026l"]] as const;
    for (const [on, off] of pairs) assert(last(on) >= 0 && last(off) > last(on), JSON.stringify([on, off]));
    // The name of the window, the other screen: where they were taken.
    for (const [on, off] of [["\x1b[22;2t", "\x1b[23;2t"], ["\x1b[?1049h", "\x1b[?1049l"]] as const) {
      assert(last(off) >= last(on), JSON.stringify([on, off]));
    }
  }

  async function say(pty: Pty, text: string): Promise<void> {
    await pty.type(text);
    await pty.keys("Enter");
  }

  test("a message runs to its answer, and leaving gives the terminal back", {
    files: { "add.ts": "export const add = (a, b) => a - b;\n" },
    replies: [
      { text: "I **look**.", calls: [{ name: "read", args: { path: "add.ts" } }] },
      { calls: [{ name: "edit", args: { path: "add.ts", edits: [{ oldText: "a - b", newText: "a + b" }] } }] },
      { calls: [{ name: "bash", args: { command: "seq 1 9" } }] },
      { text: "It adds now.", usage: { input: 1200, output: 80 } },
    ],
  }, async (pty, places) => {
    await pty.see(READY);
    await say(pty, "fix add");
    await pty.see("It adds now.");
    await pty.see("↑1.2k");
    await pty.see("/undo puts it back");
    assertEquals(
      shown(await pty.screen(true), places),
      `\
sandpiper 0.1.0 · /help

❯ fix add

I look.

✓ read add.ts
  … 1 line read (Ctrl+O)

✓ edit add.ts
  -1 export const add = (a, b) => a - b;
  +1 export const add = (a, b) => a + b;

✓ $ seq 1 9
  … 4 more lines (Ctrl+O)
  5
  6
  7
  8
  9

It adds now.

· 1 file changed, +1 −1 lines: ~ add.ts. /undo puts it back

${"─".repeat(80)}

${"─".repeat(80)}
/B/ws                                                       replay:replies.jsonl
▣ kernel · write: . · net: off                              ↑1.2k ↓80 · 99% left`,
    );
    assertEquals(Deno.readTextFileSync(`${places.ws}/add.ts`), "export const add = (a, b) => a + b;\n");
    await pty.keys("C-o");
    await pty.see(/ 1\n {2}2\n {2}3\n/);
    await pty.keys("C-c");
    await pty.see("Ctrl+C again quits");
    await pty.keys("C-c");
    const left = await pty.see("[ended 0] terminal as before");
    // What the shell writes comes below what the program said last.
    assert(/^· The session is saved\. sandpiper --resume \S+\n {2}goes on\n\[ended 0\]/m.test(left), left);
    assertGivenBack(pty.written());
    await say(pty, "echo works");
    await pty.see("[typed] echo works\n[read] echo works");
  });

  test("the person's own keys hold, and help shows them", {
    settings: { keybindings: { expand: "alt+e", thinking: [] } },
    replies: [{ calls: [{ name: "bash", args: { command: "seq 1 9" } }] }, { text: "Done." }],
  }, async (pty) => {
    await pty.see(READY);
    await say(pty, "count");
    await pty.see("Done.");
    await pty.see("… 4 more lines (Alt+E)");
    await pty.keys("M-e");
    await pty.see(/ 1\n {2}2\n {2}3\n/);
    await pty.keys("M-e");
    await say(pty, "/help");
    const help = await pty.see("/quit", { history: true });
    assertMatch(help, /Alt\+E +read all of it/);
    assert(!help.includes("Ctrl+O") && !help.includes("Shift+Tab"), help);
  });

  test("keys that cannot be are refused before the terminal is taken", {
    settings: { keybindings: { expand: "q" } },
    replies: [],
  }, async (pty) => {
    await pty.see("[ended 2] terminal as before");
    assert(!pty.written().includes("\x1b[?2004h"));
  });

  test(
    "Enter steers, Alt+Enter queues, Escape stops and gives both back",
    { replies: [SLOW, { text: "never" }] },
    async (pty) => {
      await pty.see(READY);
      await say(pty, "wait");
      await pty.see("begun");
      await say(pty, "go left");
      await pty.see("↳ steering: go left");
      await pty.type("then right");
      await pty.keys("M-Enter");
      await pty.see("⇢ afterwards: then right");
      await pty.type("draft");
      await pty.keys("Escape");
      await pty.gone("Esc stops");
      await pty.see(/─\ngo left\n\nthen right\n\ndraft\n─/);
    },
  );

  test("steering reaches the model after the tool call at hand", {
    replies: [{ calls: [{ name: "bash", args: { command: "until [ -e go ]; do sleep 0.05; done; echo over" } }] }, {
      text: "Left.",
      expect: ["go left"],
    }],
  }, async (pty, places) => {
    await pty.see(READY);
    await say(pty, "wait");
    await pty.see("● $ until");
    await say(pty, "go left");
    await pty.see("↳ steering: go left");
    Deno.writeTextFileSync(`${places.ws}/go`, "");
    await pty.see("Left.");
    await pty.see(/❯ go left\n\nLeft\./);
  });

  test("a denial is asked once, No is what stands there, and a grant for the session holds", {
    replies: [
      { calls: [{ name: "write", args: { path: "../outside/a.txt", content: "a" } }] },
      { calls: [{ name: "write", args: { path: "../outside/b.txt", content: "b" } }] },
      { text: "Written." },
    ],
  }, async (pty, places) => {
    Deno.mkdirSync(`${places.base}/outside`);
    await pty.see(READY);
    await say(pty, "write it");
    const screen = shown(await pty.see("The sandbox refused"), places);
    assertStringIncludes(screen, "▣ The sandbox refused write: write /B/outside/a.txt");
    assertStringIncludes(screen, "--allow-write=+/B/outside");
    assertStringIncludes(screen, "❯ n  No");
    // Words that were meant for the editor allow nothing.
    await pty.type("so");
    await pty.see(/^so$/m);
    await new Promise((later) => setTimeout(later, 700));
    await pty.keys("o", "Enter");
    await pty.see(/^soo$/m);
    await pty.see("The sandbox refused");
    await new Promise((later) => setTimeout(later, 700));
    await pty.keys("Down");
    await pty.keys("Down");
    await pty.see("❯ s");
    await pty.keys("Enter");
    await pty.see("Written.");
    await pty.see("Allowed for this session");
    // What was typed stands in the editor.
    await pty.see(/─\nsoo\n─/);
    assertEquals(Deno.readTextFileSync(`${places.base}/outside/b.txt`), "b");
    await pty.see("write: ., ");
  });

  test("a refused denial stays refused", {
    replies: [{ calls: [{ name: "write", args: { path: "../outside/a.txt", content: "a" } }] }, { text: "Pity." }],
  }, async (pty, places) => {
    Deno.mkdirSync(`${places.base}/outside`);
    await pty.see(READY);
    await say(pty, "write it");
    await pty.see("The sandbox refused");
    await new Promise((later) => setTimeout(later, 700));
    await pty.keys("Enter");
    await pty.see("Pity.");
    await pty.see("Not allowed");
    assertEquals([...Deno.readDirSync(`${places.base}/outside`)], []);
  });

  for (const [signal, code] of [["SIGTERM", 143], ["SIGHUP", 129], ["SIGINT", 130]] as const) {
    test(
      `${signal} in the middle of a command gives the terminal back and ends what runs`,
      { replies: [SLOW] },
      async (pty) => {
        await pty.see(READY);
        await say(pty, "wait");
        await pty.see("begun");
        Deno.kill(await pty.pid(), signal);
        await pty.see(`[ended ${code}] terminal as before`);
        assertGivenBack(pty.written());
        await say(pty, "echo works");
        await pty.see("[read] echo works");
        await pty.see("The session is saved", { history: true });
      },
    );
  }

  // The binary cannot be made to crash from outside.
  if (name === "source") {
    test("a crash gives the terminal back", { replies: [SLOW], env: { CRASH: "1" } }, async (pty, places) => {
      await pty.see(READY);
      Deno.writeTextFileSync(`${places.ws}/crash`, "");
      await pty.see("[ended 1] terminal as before");
      assertGivenBack(pty.written());
      await say(pty, "echo works");
      await pty.see("[read] echo works");
    });
  }

  test("resizing draws everything anew at the new width and keeps what is above", {
    replies: [{ text: "word ".repeat(60).trim() }],
  }, async (pty) => {
    await pty.see(READY);
    await say(pty, "talk");
    await pty.see("word word");
    for (const [columns, rows] of [[60, 20], [120, 40], [40, 12], [80, 24]] as const) {
      await pty.resize(columns, rows);
      const screen = await pty.see(new RegExp(`^─{${columns}}$`, "m"));
      assert(screen.split("\n").every((line) => line.length <= columns), screen);
      assertEquals(screen.match(/─\n\n─/g)?.length, 1, screen);
    }
    await pty.see("❯ talk", { history: true });
  });

  test("a paste is a placeholder and is sent whole", {
    replies: [{ text: "Got it.", expect: ["row 1\\nrow 2", "row 30"] }],
  }, async (pty) => {
    await pty.see(READY);
    await pty.paste(Array.from({ length: 30 }, (_, index) => `row ${index + 1}`).join("\n"));
    await pty.see("[paste #1 +30 lines]");
    await pty.keys("Enter");
    await pty.see("Got it.");
  });

  test("files and commands are completed; names that steer a terminal are not offered", {
    files: { "alpha.txt": "", "beta.txt": "", "al\x1b]0;evil\x07pha.md": "" },
    replies: [{ text: "Seen.", expect: ["@alpha.txt"] }],
  }, async (pty) => {
    await pty.see(READY);
    await pty.type("look at @alp");
    await pty.see("→ alpha.txt");
    assert(!(await pty.screen()).includes("pha.md"));
    await pty.keys("Tab");
    await pty.see("look at @alpha.txt");
    await pty.keys("Enter");
    await pty.see("Seen.");
    await pty.type("/poli");
    await pty.see("→ /policy");
    await pty.keys("Enter");
    await pty.see("What tools may do");
  });

  test(
    "a command of the person runs in the sandbox",
    { replies: [{ text: "Yes.", expect: ["shown-42"] }] },
    async (pty) => {
      await pty.see(READY);
      await say(pty, "! echo shown-$((40 + 2))");
      await pty.see("shown-42");
      await say(pty, "did you see it?");
      await pty.see("Yes.");
    },
  );

  test("an editor of the person's own gets the terminal and its text comes back", {
    replies: [],
    env: { EDITOR: "sh ../ed.sh" },
  }, async (pty, places) => {
    Deno.writeTextFileSync(
      `${places.base}/ed.sh`,
      'printf "in the editor: "; read -r word; echo "$word and more" >>"$1"\n',
    );
    await pty.see(READY);
    await pty.type("draft");
    await pty.keys("C-g");
    await pty.see("in the editor:");
    await say(pty, "abc");
    await pty.see(/─\ndraftabc and more\n─/);
  });

  test("history goes over sessions, and sessions can be resumed with search", {
    replies: [{ text: "First answer." }, { text: "Second answer." }],
  }, async (pty) => {
    await pty.see(READY);
    await say(pty, "the first question");
    await pty.see("First answer.");
    await say(pty, "/clear");
    await pty.see("Session ");
    await pty.keys("Up", "Up");
    await pty.see(/─\nthe first question\n─/);
    await pty.keys("C-c");
    await say(pty, "/resume");
    await pty.see("Resume a session");
    await pty.type("frst");
    await pty.see("❯ the first question");
    await pty.keys("Enter");
    await pty.see("First answer.");
  });

  test("a picture in the desktop's clipboard is kept for the message; an answer goes to the terminal's", {
    files: {
      // A program of the desktop, as far as it matters here, and one that a tool could have written.
      "desktop/wl-paste": "#!/bin/sh\nprintf '\\211PNG\\r\\n\\032\\n'\n",
      "bin/wl-paste": "#!/bin/sh\ntouch ran\nprintf '\\211PNG'\n",
    },
    replies: [{ text: "A fine picture." }],
    env: { WAYLAND_DISPLAY: "none" },
    command: [
      ...["sh", "-c", 'chmod +x */wl-paste; mv desktop "$HOME"; PATH=$PWD/bin:$HOME/desktop:$PATH exec "$@"', "sh"],
      ...command,
    ],
  }, async (pty, { ws }) => {
    await pty.see(READY);
    await pty.type("look at");
    await pty.keys("C-v");
    const screen = await pty.see(/look at \S+\/sandpiper-\w+\.png/);
    const path = /\S+\/sandpiper-\w+\.png/.exec(screen)?.[0] ?? "";
    assertThrows(() => Deno.statSync(`${ws}/ran`), Deno.errors.NotFound);
    await pty.keys("Enter");
    await pty.see("with one picture");
    await pty.see("A fine picture.");
    await say(pty, "/copy");
    await pty.see("Given to the terminal's clipboard: 15B");
    assertStringIncludes(pty.written(), `\x1b]52;c;${btoa("A fine picture.")}\x07`);
    assert(Deno.statSync(path).isFile);
    await say(pty, "/quit");
    await pty.see("[ended 0]");
    assertThrows(() => Deno.statSync(path), Deno.errors.NotFound);
  });

  test("-r alone lets one choose, name and delete sessions before one is open", {
    replies: [{ text: "First answer." }, { text: "Second answer." }],
    command: ["sh", "-c", '"$@"; echo; exec "$@" -r', "sh", ...command],
  }, async (pty) => {
    await pty.see(READY);
    await say(pty, "the first question");
    await pty.see("First answer.");
    await say(pty, "/clear");
    await pty.see("Session ");
    await say(pty, "the second question");
    await pty.see("Second answer.");
    await say(pty, "/quit");
    await pty.see(/❯ the second question.*\n {2}the first question.*\n.*Ctrl\+D delete/);
    await pty.keys("C-d");
    await pty.see("Delete “the second question”");
    await pty.keys("Down", "Enter");
    await pty.see(/search:\n❯ the first question/);
    await pty.keys("C-r");
    await pty.see("A name for “the first question”");
    await pty.type("questions");
    await pty.keys("Enter");
    // The list again, and not what was typed for the name.
    await pty.see(/search:\n❯ questions/);
    await pty.type("first answer");
    await pty.see("search in what was said");
    await pty.keys("Enter");
    await pty.see("❯ questions: assistant: First answer.");
    await pty.keys("Enter");
    await pty.see(READY);
    await pty.see(/questions +replay/);
    await say(pty, "/quit");
    await pty.see("[ended 0] terminal as before");
    assertGivenBack(pty.written());
  });

  test("a fork goes on before a message, whose words come back; the tree goes back", {
    replies: [{ text: "One." }, { text: "Two." }, { text: "Three." }],
  }, async (pty) => {
    await pty.see(READY);
    await say(pty, "first");
    await pty.see("One.");
    await say(pty, "second");
    await pty.see("Two.");
    await say(pty, "/fork");
    await pty.see("❯ second");
    await pty.keys("Enter");
    await pty.see(/Session [\s\S]*❯ first\n\nOne\.\n\n─+\nsecond\n─/);
    await pty.keys("C-c");
    await say(pty, "/tree");
    await pty.see("Go to");
    await pty.keys("Up");
    await pty.keys("Enter");
    await pty.see("The branch that you leave");
    await pty.keys("Enter");
    await pty.see(/─\nfirst\n─/);
  });

  test("commands show and do what the help says of them", {
    rows: 70,
    files: { "AGENTS.md": "Be kind.\n" },
    settings: { compaction: { keepRecentTokens: 1 } },
    replies: [
      { text: "I look.", calls: [{ name: "bash", args: { command: "echo looked" } }] },
      { text: "It is fine.", usage: { input: 1500, output: 20 } },
      { text: "## Goal\nEarlier things." },
    ],
  }, async (pty, { ws }) => {
    await pty.see(READY);
    await say(pty, "look around");
    await pty.see("It is fine.");
    const steps: readonly (readonly [command: string, shows: string | RegExp])[] = [
      ["/policy", /What tools may do\n[\s\S]* {2}Read: the workspace/],
      ["/prompt", /System prompt: \d+ sections, \d+ characters[\s\S]*\n {2}\w+ +stable/],
      ["/prompt full", "Be kind."],
      ["/skills", /Skills\n[\s\S]*\/skill:commit {2}/],
      ["/audit", /Tool calls of this session\n.* bash +allowed +ok .*\n +\$ echo looked/],
      ["/cost", /This session\n {2}sent, not cached +1\.5k[\s\S]*1 of yours, 2 of the model, 1 call\n/],
      ["/thinking high", "Thinking: high"],
      ["/tools -bash", "– bash"],
      ["/name the tidy one", "the tidy one"],
      ["/label here", "The newest message is labelled “here”"],
      ["/tree", "here · here"],
      ["/export out.md", "Written to"],
      ["/reload", "were read anew"],
      ["/compact the goal", "Compacted the conversation"],
      ["/nonsense", "nonsense"],
    ];
    for (const [command, shows] of steps) {
      await say(pty, command);
      await pty.see(shows);
      if (command === "/tree") {
        await pty.keys("Escape");
        await pty.gone("here · here");
      }
      if (command === "/nonsense") await pty.keys("C-c"); // its words came back
    }
    assertStringIncludes(Deno.readTextFileSync(`${ws}/out.md`), "It is fine.");
    await say(pty, "/clear");
    await pty.see(/Session [0-9a-f]/);
    await say(pty, "/quit");
    await pty.see("[ended 0] terminal as before");
  });

  test("what was typed can be undone", { replies: [] }, async (pty) => {
    await pty.see(READY);
    await pty.type("kept ");
    await pty.type("gone");
    await pty.see(/─\nkept gone/);
    await pty.keys("C-u");
    await pty.see(/─\n *\n─/);
    await pty.keys("C-_");
    await pty.see(/─\nkept gone/);
  });

  test("a session that cannot be opened gives the terminal back and its error", {
    replies: [],
    args: ["--resume", "nosuchsession"],
  }, async (pty) => {
    await pty.see("[ended 2] terminal as before");
    assertGivenBack(pty.written());
  });

  test("without a model there is one screen that says what is missing", {}, async (pty, places) => {
    const [name, blank, missing, ...more] = shown(await pty.see("any other key  quit"), places).split("\n");
    const screen = more.join("\n");
    assertEquals([name, blank, missing], [
      "sandpiper 0.1.0",
      "",
      'No model is chosen: neither --model nor the setting "model" names one.',
    ]);
    // Where a server of models happens to run on this machine that is offered instead.
    assertMatch(screen, /--model anthropic\/|Found on this machine/);
    // Nobody knows this program's own words yet.
    assert(!/cassette|replay/i.test(screen), screen);
    await pty.keys("d");
    await pty.see("left your machine.");
    // What comes after the demo is said in words for people who have just begun.
    await say(pty, "now add a test");
    const all = await pty.see(/That is all that the demo knows[^]*lists what your keys/, { history: true });
    assert(!/cassette|replay|\.jsonl/i.test(all.slice(all.indexOf("❯ Make"))), all);
  });

  test("the window has a name while the program runs, and its own afterwards", {
    replies: [SLOW],
    settings: { theme: "dark" },
  }, async (pty) => {
    await pty.see(READY);
    const named = (name: RegExp): Promise<void> => until(async () => name.test(await pty.title()));
    await named(/^ws · sandpiper$/);
    await say(pty, "wait");
    await named(/^● ws · sandpiper$/);
    await pty.keys("C-c");
    await pty.keys("C-c");
    await pty.see("[ended 0] terminal as before");
    assert(!(await pty.title()).includes("sandpiper"));
    assertGivenBack(pty.written());
  });

  for (const [ground, colour] of [["colour231", "38;5;25"], ["colour16", "36"]] as const) {
    test(`the colours suit a ground of ${ground}, and the answer of the terminal is no input`, {
      ground,
      replies: [{ text: "Said." }],
    }, async (pty) => {
      await pty.type("early");
      await pty.see(READY);
      await pty.keys("Enter");
      await pty.see("Said.");
      await until(() => Promise.resolve(pty.written().includes(`\x1b[1;${colour}m❯ `)));
      assertEquals((await pty.screen(true)).split("\n").slice(0, 5), [
        "sandpiper 0.1.0 · /help",
        "",
        "❯ early",
        "",
        "Said.",
      ]);
      assert(pty.written().indexOf("sandpiper") < pty.written().indexOf("\x1b]11;?"), "the first frame comes first");
    });
  }

  test("all of a long conversation can be read on the other screen, and the first one is as it was", {
    replies: [
      { calls: [{ name: "bash", args: { command: `cat <<'EOF'\n${"some text\n".repeat(40)}EOF` } }] },
      { calls: [{ name: "write", args: { path: "a.txt", content: "row\n".repeat(60) + "last row" } }] },
      { text: "Done." },
    ],
  }, async (pty) => {
    await pty.see(READY);
    await say(pty, "go");
    // The last line of a turn: what was changed.
    await pty.see("/undo puts it back");
    const before = await pty.screen(true);
    await pty.keys("C-o");
    await pty.see("last row");
    await pty.keys("Home");
    await pty.see(/^❯ go$/m);
    await pty.keys("PageDown");
    await pty.see(/some text\n {2}some text/);
    await pty.keys("C-o");
    await pty.gone("Tab: next block");
    assertEquals(await pty.screen(true), before);
    // Another size meanwhile: what is read fits it at once, and the first screen when it comes back.
    await pty.keys("C-o");
    await pty.see("last row");
    await pty.keys("Home");
    await pty.see(/^❯ go$/m);
    await pty.resize(50, 16);
    await pty.see(/^❯ go\n(?:.*\n){12}.{40,50}1\/\d+$/m);
    await pty.keys("Escape");
    await pty.see(/^─{50}$/m);
  });

  test("a frame as high as the window leaves no half of itself above", {
    columns: 40,
    rows: 12,
    replies: [
      { calls: [{ name: "write", args: { path: "a.txt", content: "row\n".repeat(30) } }] },
      { calls: [{ name: "bash", args: { command: "seq 1 30; sleep 0.3" } }] },
      { text: "Done." },
    ],
  }, async (pty) => {
    await pty.see(READY);
    await say(pty, "go");
    await pty.see("/undo puts it back");
    const all = await pty.screen(true);
    assertEquals(all.match(/lines above|Esc stops/g), null, all);
  });

  test("plain mode prints lines and no escape sequence", {
    columns: 200,
    args: ["--plain"],
    replies: [
      { text: "I **look**.", calls: [{ name: "write", args: { path: "../outside/a.txt", content: "a" } }] },
      { text: "Done." },
    ],
  }, async (pty, places) => {
    Deno.mkdirSync(`${places.base}/outside`);
    await pty.see("sandbox: ▣");
    await say(pty, "do it");
    await pty.see("Allow it? n no, o once");
    await say(pty, "maybe");
    await pty.see('"maybe" is none of the answers. Once more: n no, o once');
    await say(pty, "o");
    await pty.see(/Allowed once[^]*ready/);
    await say(pty, "! echo shown-$((40 + 2)); exit 3");
    await pty.see("shown-42\nexit 3");
    await say(pty, "/quit");
    await pty.see("[ended 0]");
    assertEquals(Deno.readTextFileSync(`${places.base}/outside/a.txt`), "a");
    assert(!pty.written().includes("\x1b"), "no escape sequence at all");
  });

  const HOSTILE =
    "A\x1b]52;c;aGk=\x07B\x1b]0;owned\x07C\x1b[2J\x1b[10;10HD\x1b[?1049hE\x9b31mF\u202eG\x1bPq\x1b\\H\x07";

  test("control sequences from model, tools, files and sessions never reach the terminal", {
    files: { "AGENTS.md": `Rules ${HOSTILE}`, "h.txt": HOSTILE },
    settings: { notify: "off" }, // a busy machine makes the run long enough for the bell
    replies: [
      {
        text: `Model: ${HOSTILE}\n\n\`\`\`sh\n${HOSTILE}\n\`\`\`\n`,
        calls: [{ name: "bash", args: { command: `cat h.txt; echo '${HOSTILE}'` } }],
        chunkChars: 3,
      },
      {
        calls: [{ name: "read", args: { path: "h.txt" } }, {
          name: "edit",
          args: { path: "h.txt", edits: [{ oldText: "H", newText: "I" }] },
        }],
      },
      { calls: [{ name: "read", args: { path: `no\x1b]0;owned\x07ne` } }, { name: `na\x1b]0;owned\x07me`, args: {} }] },
      { text: "Over." },
    ],
  }, async (pty) => {
    await pty.see(READY);
    await say(pty, "go");
    await pty.see("Over.");
    await pty.keys("C-o");
    await pty.see("Tab: next block");
    await pty.keys("Home");
    for (let page = 0; page < 6; page++) await pty.keys("PageDown");
    await pty.keys("Escape");
    await pty.gone("Tab: next block");
    await say(pty, `/prompt full`);
    await pty.see("Rules A", { history: true });
    await say(pty, "/tree");
    await pty.see("Go to");
    await pty.keys("Escape");
    await pty.gone("Go to");
    await say(pty, "/quit");
    await pty.see("[ended 0]");
    const written = pty.written();
    // deno-lint-ignore no-control-regex -- what this program itself writes
    const own = /\x1b\[(?:\d*(?:;\d+)*m|\d*[ABGHJKLM]|\?(?:2026|2004|1004|25|7)[hl]|>1u|<u|2K|2[23];2t|5n)/g;
    // The name of the window, the question about its ground, and the way to the other screen and back.
    const sequences =
      // deno-lint-ignore no-control-regex -- the same
      /\x1b\]2;(?:[?●] )?(?:ws · sandpiper)?\x07|\x1b\]11;\?\x07|\x1b\[\?1049h\x1b\[H\x1b\[2J|\x1b\[\?1049l/g;
    const foreign = written.replaceAll(sequences, "");
    const rest = foreign.replaceAll(own, "");
    // deno-lint-ignore no-control-regex -- everything else that could steer a terminal
    const others = rest.match(/[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g) ?? [];
    assertEquals(others, []);
    assert(!foreign.includes("\x1b[2J") && !foreign.includes("\x1b[10;10H"));
  });

  test(
    "NO_COLOR leaves colours out",
    { env: { NO_COLOR: "1" }, replies: [{ text: "# Head\n\n`code` and **bold**" }] },
    async (pty) => {
      await pty.see(READY);
      await say(pty, "go");
      await pty.see("code and bold");
      // deno-lint-ignore no-control-regex -- SGR colours
      assertEquals(pty.written().match(/\x1b\[(?:3[0-8]|4[0-8]|9\d)[;\d]*m/g), null);
    },
  );
}
