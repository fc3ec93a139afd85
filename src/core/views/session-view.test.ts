import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentFile } from "../agents/agent-file.ts";
import { registryWith } from "../agents/user-agents.ts";
import type { ViewChange } from "./change.ts";
import { SessionView, type ViewCheckpoint } from "./session-view.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const tag = (name: string): string => `<FORGE_EVENT name="${name}">{}</FORGE_EVENT>`;

function opened(options: { isFolded?: boolean; markNonce?: string; checkpoint?: ViewCheckpoint } = {}): SessionView {
  return new SessionView({ columns: 40, rows: 5, ...options });
}

const names = (changes: readonly ViewChange[]): string[] =>
  changes.flatMap((change) => (change.kind === "event" ? [`${change.event.name}@${change.offset}`] : []));

test("a view has the screen, answers questions and tells events, each with the offset at which it is whole", () => {
  const view = opened();
  view.step({ type: "start", command: ["./build"], offset: 0, timeUs: 0 });
  const { changes, replies } = view.output(bytes(`hello${tag("A")}\u001b[6n`), 100, 1_000_000);
  assert.deepEqual(names(changes), [`A@${105 + tag("A").length}`]);
  assert.equal(new TextDecoder().decode(replies[0]), `\u001b[2;${5 + tag("A").length - 40 + 1}R`);
  assert.ok(view.frame.lines[0]?.text.startsWith("hello<FORGE"));
});

test("a view goes on from a checkpoint at any place as if it had not stopped", () => {
  const text = `one\r\n\u001b]0;title\u0007two ${tag("A")}\r\n\u001b[?2026hthree\u001b[?2026l${tag("B")}\r\nfour\r\nfive`;
  const play = (cut: number): [string[], string, number] => {
    let view = opened();
    const changes = view.step({ type: "start", command: ["./build"], offset: 0, timeUs: 0 });
    changes.push(...view.output(bytes(text.slice(0, cut)), 0, 1_000_000).changes);
    if (cut < text.length) {
      view = opened({ checkpoint: JSON.parse(JSON.stringify(view.checkpoint(cut))) });
      changes.push(...view.output(bytes(text.slice(cut)), cut, 1_000_000).changes);
    }
    const { lines, topLine } = view.frame;
    return [names(changes), lines.map((line) => line.text).join("|"), topLine];
  };
  const whole = play(text.length);
  assert.equal(whole[0].length, 2);
  for (let cut = 1; cut < text.length; cut += 1) assert.deepEqual(play(cut), whole, `cut at ${cut}`);
});

test("a view asks for the time at which something is due, and then for a later one", () => {
  const view = opened();
  assert.equal(view.wakeUs, null);
  view.output(bytes("x"), 0, 1_000_000);
  assert.equal(view.wakeUs, 1_008_000);
  view.advance(1_100_000);
  assert.ok(view.wakeUs === null || view.wakeUs > 1_100_000);
});

test("undrawn output is searched for events and leaves the screen alone; a gap starts it anew", () => {
  const view = opened();
  view.step({ type: "start", command: ["./build"], offset: 0, timeUs: 0 });
  view.output(bytes("shown"), 0, 0);
  assert.deepEqual(names(view.undrawn(bytes(`hidden${tag("A")}`), 5, 0)), [`A@${11 + tag("A").length}`]);
  assert.equal(view.frame.lines[0]?.text, "shown");
  view.gap(100, 0);
  assert.equal(view.frame.lines[0]?.text, "");
});

test("a view that is woken between two records sees what one sees that is not, before a gap and undrawn output too", () => {
  const play = (isWoken: boolean): unknown[] => {
    const view = opened();
    const changes = [...view.step({ type: "start", command: ["./build"], offset: 0, timeUs: 0 })];
    changes.push(...view.output(bytes("building\r\n"), 0, 1_000_000).changes);
    for (const untilUs of [60_000_000, 200_000_000]) {
      if (isWoken)
        for (let timeUs = 2_000_000; timeUs < untilUs; timeUs += 500_000) changes.push(...view.advance(timeUs));
      changes.push(...(untilUs === 60_000_000 ? view.gap(100, untilUs) : view.undrawn(bytes("more"), 200, untilUs)));
    }
    return changes.flatMap((change) => (change.kind === "status" ? [[change.status.state, change.timeUs]] : []));
  };
  assert.deepEqual(play(true), play(false));
  assert.ok(play(false).length >= 3);
});

test("a tag that a gap cut is no event, and one in a title is none behind a checkpoint either", () => {
  const whole = tag("A");
  const cut = opened();
  const changes = [...cut.output(bytes(whole.slice(0, 30)), 0, 0).changes, ...cut.gap(100, 1000)];
  changes.push(...cut.output(bytes(whole.slice(30)), 5000, 2000).changes, ...cut.advance(90_000_000));
  assert.deepEqual(
    changes.flatMap((change) => (change.kind === "event" ? [change.event.valid] : [])),
    [false],
  );
  const before = opened();
  before.output(bytes("\u001b]2;"), 0, 0);
  const behind = opened({ checkpoint: JSON.parse(JSON.stringify(before.checkpoint(4))) });
  assert.deepEqual(names(behind.output(bytes(`${whole}\u0007`), 4, 0).changes), []);
});

test("a checkpoint of another version is refused", () => {
  const checkpoint = { ...opened().checkpoint(0), version: 1 } as unknown as ViewCheckpoint;
  assert.throws(() => opened({ checkpoint }), /Cannot read a checkpoint of version 1/);
});

test("a view that goes on inside of a shell mark shows nothing of it, at any cut, also from a checkpoint", () => {
  const mark = "\u001b]133;D;0;n=AbCdEfGhIjKl\u0007";
  const shown = (cut: number, interrupt: (view: SessionView) => void, isFolded: boolean): string | undefined => {
    let view = opened({ isFolded });
    view.output(bytes(`one\r\n${mark.slice(0, cut)}`), 0, 0);
    interrupt(view);
    view = opened({ isFolded, checkpoint: JSON.parse(JSON.stringify(view.checkpoint(100))) });
    view.output(bytes(`${mark.slice(cut)}two`), 100, 1_000_000);
    return view.frame.lines.map(({ text }) => text).join("|");
  };
  for (let cut = 1; cut < mark.length; cut += 1)
    for (const isFolded of [true, false]) {
      assert.equal(
        shown(cut, (view) => view.gap(50, 0), isFolded),
        "two||||",
        `${cut}`,
      );
      assert.equal(
        shown(cut, (view) => view.skip(), isFolded),
        "one|two|||",
        `${cut}`,
      );
    }
});

test("a view that is only a screen tells nothing and still answers", () => {
  const view = opened({ isFolded: false });
  const { changes, replies } = view.output(bytes(`${tag("A")}\u001b[c`), 0, 0);
  assert.deepEqual([changes, replies.length, view.wakeUs, view.checkpoint(5).folds], [[], 1, null, null]);
  assert.deepEqual(view.resize(20, 5, 0), []);
  assert.equal(view.screen.columns, 20);
});

test("a program whose size is set when it starts has no status of a time before its start", () => {
  const view = opened({ markNonce: "5f" });
  const changes = [
    ...view.step({ type: "start", command: ["bash"], offset: 0, timeUs: 5_000_000_000 }),
    ...view.resize(80, 24, 5_000_000_000),
    ...view.step({
      type: "foreground",
      verdict: "busy",
      program: "bash",
      offset: 100,
      timeUs: 5_000_002_000,
    }),
    ...view.output(bytes("\u001b]133;A;n=5f\u0007$ "), 200, 5_000_300_000).changes,
  ];
  assert.deepEqual(
    changes.flatMap((change) => (change.kind === "status" ? [[change.status.state, change.status.sinceUs]] : [])),
    [
      ["starting", 5_000_000_000],
      ["working", 5_000_002_000],
      ["waiting", 5_000_300_000],
    ],
  );
});

test("a question stands, whether the program is seen to read before or after the screen has come to rest", () => {
  const readsAfter = (milliseconds: number, verdict: "prompt" | "busy" = "prompt"): (string | null)[] => {
    const view = opened();
    const changes = [
      ...view.step({ type: "start", command: ["./ask"], offset: 0, timeUs: 0 }),
      ...view.output(bytes("Your name? "), 100, 1_000_000).changes,
      ...view.step({ type: "foreground", verdict, program: "ask", offset: 111, timeUs: (1000 + milliseconds) * 1000 }),
      ...view.advance(5_000_000),
    ];
    const asked = changes.flatMap((change) => (change.kind === "approval" ? [change.approval.question] : []));
    return [...asked, changes.findLast((change) => change.kind === "status")?.status.state ?? null];
  };
  for (const milliseconds of [1, 7, 8, 9, 20, 500])
    assert.deepEqual(readsAfter(milliseconds), ["Your name?", "blocked"], `${milliseconds} ms`);
  assert.notEqual(readsAfter(20, "busy").at(-1), "blocked");
});

test("what is not on the screen yet is no question when the program is seen to read", () => {
  const view = opened();
  const changes = [
    ...view.step({ type: "start", command: ["./build"], offset: 0, timeUs: 0 }),
    ...view.output(bytes("Compiling: "), 100, 1_000_000).changes,
    ...view.step({ type: "foreground", verdict: "busy", program: "build", offset: 111, timeUs: 1_100_000 }),
    ...view.output(bytes("done\r\n$ "), 200, 2_000_000).changes,
    ...view.step({ type: "foreground", verdict: "prompt", program: "build", offset: 210, timeUs: 2_001_000 }),
    ...view.advance(5_000_000),
  ];
  assert.deepEqual(
    changes.filter(({ kind }) => kind === "approval"),
    [],
  );
});

const zorp = {
  name: "zorp",
  commands: ["zorp"],
  titles: { busy: { pattern: "^zorp busy", state: "working" } },
  boxes: { main: { top: "^=+$", prompt: "^>", bottom: "^=+$", rowsMax: 3, rowsBelowMax: 1 } },
  screen: { box: { in: "top", rows: 1, pattern: "=", state: "waiting" } },
} as const;
const drawn = new TextEncoder().encode("====\r\n> \r\n====\u001B[2;3H");

/** A view with other rules, which goes on where the given one stands. */
function withRules(view: SessionView, files: readonly AgentFile[]): SessionView {
  const next = new SessionView({ columns: 80, rows: 24, agents: registryWith(files), checkpoint: view.checkpoint(0) });
  view.dispose();
  return next;
}

const statusesIn = (changes: readonly ViewChange[]) =>
  changes.flatMap((change) => (change.kind === "status" ? [[change.status.state, change.status.agent]] : []));

test("an agent whose file comes later is recognised by its command while it is quiet", () => {
  const first = new SessionView({ columns: 80, rows: 24 });
  first.step({ type: "start", command: ["zorp"], offset: 0, timeUs: 0 });
  first.output(drawn, 0, 1_000_000);
  first.advance(60_000_000);
  const view = withRules(first, [zorp]);
  assert.deepEqual(statusesIn(view.reread()), [["waiting", "zorp"]]);
  view.dispose();
});

test("a command that is over is no agent, and neither is one that has ended", () => {
  const first = new SessionView({ columns: 80, rows: 24 });
  first.step({ type: "start", command: ["zorp"], offset: 0, timeUs: 0 });
  first.output(drawn, 0, 1_000_000);
  first.step({ type: "exit", code: 0, signal: null, offset: 20, timeUs: 2_000_000 });
  const view = withRules(first, [zorp]);
  assert.deepEqual(statusesIn(view.reread()), []);
  view.dispose();
});

test("the rules of titles are read again, and time does not go back to the last output", () => {
  const first = new SessionView({ columns: 80, rows: 24, agents: registryWith([zorp]) });
  first.step({ type: "start", command: ["zorp"], offset: 0, timeUs: 0 });
  first.output(new TextEncoder().encode("\u001B]2;zorp busy\u0007hello"), 0, 1_000_000);
  first.advance(100_000_000);
  first.step({ type: "input", bytes: new Uint8Array([65]), isSecret: false, offset: 30, timeUs: 101_000_000 });
  const renamed = withRules(first, [{ ...zorp, titles: { busy: { pattern: "^zorp busy", state: "blocked" } } }]);
  assert.deepEqual(statusesIn(renamed.reread()), [["blocked", "zorp"]]);
  const view = withRules(renamed, []);
  assert.ok(statusesIn(view.reread()).every(([state]) => state !== "working"));
  assert.ok(statusesIn(view.advance(200_000_000)).every(([state]) => state === "unknown"));
  view.dispose();
});

test("an event in the output comes after the changes of what stands before it", () => {
  const view = new SessionView({ columns: 80, rows: 24 });
  view.step({ type: "start", command: ["make"], offset: 0, timeUs: 0 });
  const shown = '\u001b]9;4;1;50\u0007working <FORGE_EVENT name="A">1</FORGE_EVENT>';
  const { changes } = view.output(new TextEncoder().encode(shown), 10, 1000);
  assert.deepEqual(
    changes.map(({ kind }) => kind),
    ["status", "event"],
  );
  view.dispose();
});
