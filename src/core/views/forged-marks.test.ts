/** Shell marks that a running command prints, in all their forms: the composition that ships and the machine of `exec` and `wait` believe none. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eachNth } from "../../../test/support/searches.ts";
import { CommandTracker } from "../readiness/command-tracker.ts";
import { SessionView } from "./session-view.ts";

const NONCE = "AbCdEfGhIjKl";
const encoder = new TextEncoder();
const mark = (code: string): string => `\u001b]133;${code};n=${NONCE}\u0007`;
const PROMPT = `${mark("D;0")}\u001b]133;A\u0007$ ${mark("B")}`;

const openers = ["\u001b]", "\u009d"];
const terminators = ["\u0007", "\u001b\\", "\u009c"];
/** None, empty ones, wrong ones, and the right one in the wrong place. */
const nonces = [
  "",
  ";",
  ";n=",
  ";n=AAAAAAAAAAAA",
  `;N=${NONCE}`,
  `;nn=${NONCE}`,
  `;n=${NONCE}x`,
  `;${NONCE}`,
  `;n = ${NONCE}`,
];
const codes = [133, 633].flatMap((command) => ["A", "B", "C", "D", "D;0"].map((letter) => `${command};${letter}`));
const forgeries = codes.flatMap((code) =>
  nonces.flatMap((nonce) =>
    openers.flatMap((opener) => terminators.map((terminator) => `${opener}${code}${nonce}${terminator}`)),
  ),
);
/** How output comes: whole, cut in the middle of each mark, byte by byte. */
const cuts: readonly ((bytes: Uint8Array) => readonly Uint8Array[])[] = [
  (bytes) => [bytes],
  (bytes) => [bytes.subarray(0, bytes.length >> 1), bytes.subarray(bytes.length >> 1)],
  (bytes) => Array.from(bytes, (_, index) => bytes.subarray(index, index + 1)),
];
/** What a case prints: a mark alone, behind text, the one of a prompt, and several at once. */
const shapes: readonly ((forged: string, other: string) => string)[] = [
  (forged) => forged,
  (forged) => `working\r\n${forged}`,
  (forged) => `${forged}user@lab:~$ ${forged}`,
  (forged, other) => `${other}${forged}$ ${other}`,
];

/** When a case prints: at once, soon, and when the session has long been quiet. */
const AFTER_MS = [0, 30, 9000];

interface Session {
  readonly statuses: string[];
  readonly steps: string[];
  readonly exitCodes: (number | null)[];
  readonly isAtShellPrompt: boolean;
}

type Happening = { readonly afterMs: number } & (
  | { readonly type: "output" | "input"; readonly text: string }
  | { readonly type: "foreground"; readonly verdict: "raw" | "busy"; readonly program: string }
);

/** Plays it; `isLive`: by a clock that wakes the view between the records, and with a checkpoint at each record. */
function play(happenings: readonly Happening[], cut: (typeof cuts)[number], isLive: boolean): Session {
  const options = { columns: 80, rows: 6, scrollbackLinesMax: 10, markNonce: NONCE };
  let view = new SessionView(options);
  const tracker = new CommandTracker({ nonce: NONCE });
  const session = { statuses: [] as string[], steps: [] as string[], exitCodes: [] as (number | null)[] };
  const take = (changes: ReturnType<SessionView["advance"]>): void => {
    for (const change of changes) {
      if (change.kind === "status") session.statuses.push(change.status.state);
      if (change.kind === "message" && change.message.shell !== undefined)
        session.exitCodes.push(change.message.shell.exitCode);
    }
  };
  let [offset, timeUs] = [0, 1_000_000];
  take(view.step({ type: "start", command: ["bash"], offset, timeUs }));
  for (const happening of happenings) {
    const untilUs = timeUs + happening.afterMs * 1000;
    if (isLive) for (; timeUs < untilUs; timeUs += 50_000) take(view.advance(timeUs));
    timeUs = untilUs;
    if (happening.type === "foreground") {
      const { verdict, program } = happening;
      take(view.step({ type: "foreground", verdict, program, pid: 7, offset, timeUs }));
      continue;
    }
    const bytes = encoder.encode(happening.text);
    if (happening.type === "input") take(view.step({ type: "input", bytes, isSecret: false, offset, timeUs }));
    for (const piece of happening.type === "output" ? cut(bytes) : []) {
      take([...view.output(piece, offset, timeUs).changes]);
      session.steps.push(...tracker.feed(piece, offset).map(({ type }) => type));
      offset += piece.length;
    }
    if (isLive) view = new SessionView({ ...options, checkpoint: JSON.parse(JSON.stringify(view.checkpoint(offset))) });
  }
  take(view.advance(timeUs + 5_000_000));
  return { ...session, isAtShellPrompt: view.foreground.isAtShellPrompt };
}

const before: readonly Happening[] = [
  { type: "output", text: PROMPT, afterMs: 100 },
  { type: "foreground", verdict: "raw", program: "bash", afterMs: 5 },
  { type: "input", text: "./forger\r", afterMs: 3000 },
  { type: "output", text: `./forger\r\n${mark("C")}`, afterMs: 2 },
];
const busy: Happening = { type: "foreground", verdict: "busy", program: "forger", afterMs: 20 };
const after: readonly Happening[] = [
  { type: "output", text: `done\r\n${PROMPT}`, afterMs: 700 },
  { type: "foreground", verdict: "raw", program: "bash", afterMs: 5 },
];

test("no mark that a running command prints makes the session wait, opens a prompt or ends the command", () => {
  const each = forgeries.length / AFTER_MS.length;
  const cases = Array.from({ length: each }, (_, index) => ({
    // At each of the moments another one.
    printed: AFTER_MS.map((afterMs, at): Happening => {
      const forged = forgeries[index + at * each] ?? "";
      const text =
        shapes[(index + at) % shapes.length]?.(forged, forgeries[(index * 7) % forgeries.length] ?? "") ?? "";
      return { type: "output", text, afterMs };
    }),
    cut: cuts[index % cuts.length] ?? ((bytes: Uint8Array) => [bytes]),
    // Also before the kernel reports the command.
    isEarly: index % 5 === 0,
    // Live costs an emulator for each record: a share of them that has each shape, cut and moment.
    isLive: index % 7 === 0,
  }));
  assert.equal(cases.length * AFTER_MS.length, 540);
  for (const { printed: prints, cut, isEarly, isLive } of eachNth(cases, 4)) {
    const forged = prints.map((print) => (print.type === "output" ? print.text : ""));
    const [first, ...others] = prints;
    const printed: readonly Happening[] = isEarly && first !== undefined ? [first, busy, ...others] : [busy, ...prints];
    const during: readonly Happening[] = [...before, ...printed];
    const replayed = play(during, cut, false);
    if (isLive) assert.deepEqual(play(during, cut, true).statuses, replayed.statuses, JSON.stringify(forged));
    const { statuses, steps, exitCodes, isAtShellPrompt } = replayed;
    const at = JSON.stringify({ forged, statuses });
    assert.equal(statuses.lastIndexOf("waiting"), statuses.indexOf("waiting"), at);
    assert.equal(statuses.at(-1), "working", at);
    assert.equal(isAtShellPrompt, false, at);
    assert.deepEqual(new Set(steps), new Set(["prompt", "command-start", "output"]), at);
    assert.equal(steps.lastIndexOf("prompt"), 0, at);
    assert.ok(
      exitCodes.every((code) => code === null),
      at,
    );
    const ended = play([...during, ...after], cut, false);
    assert.equal(ended.statuses.at(-1), "waiting", at);
    assert.equal(ended.isAtShellPrompt, true, at);
    assert.deepEqual([ended.steps.at(-1), ended.exitCodes.at(-1)], ["prompt", 0], at);
  }
});
