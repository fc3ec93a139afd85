/** Orders of the same facts; single cases are in `approval-fold.test.ts`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../test/support/searches.ts";
import { frameOf } from "../../../test/frames.ts";
import { Observed } from "../../../test/observed.ts";
import type { Approval } from "../dialogs/approval.ts";
import type { Step } from "../observe/step.ts";
import { mayRead, type ForegroundVerdict } from "../records.ts";
import { ApprovalFold } from "./approval-fold.ts";

interface Reader {
  readonly program: string;
  readonly verdict: ForegroundVerdict;
}

/** What happens in a session, `afterMs` behind what came before. */
type Happening = { readonly afterMs: number } &
  /** Output, and the frame that shows it. */
  (
    | { readonly type: "draw"; readonly screen: number }
    /** Output that no frame shows yet. */
    | { readonly type: "output" }
    /** The terminal has another size, and the program has drawn nothing for it yet. */
    | { readonly type: "resize" }
    | { readonly type: "kernel"; readonly reader: Reader }
    | { readonly type: "keys"; readonly text: string }
    /** The fold is woken for the sake of another reducer, and goes on from what it saved. */
    | { readonly type: "tick" }
  );

const command = (file: string): string =>
  `  Would you like to run the following command?\n\n  $ rm ${file}\n\n› 1. Yes (y)\n  2. No (esc)\n\n  Press enter to confirm`;
/** By program. Each reads the same whatever the kernel reports: no question is one only if it is read. */
const screens = {
  ask: ["Go on? [y/N] |", "Go on? [y/N]\nAll? [y/N] |", "Go on?\n❯ 1. Yes\n  2. No\n  (use arrow keys)", "at work\n|"],
  codex: [command("a"), command("b"), "• Done.\n\n› Ask Codex to do anything\n\n  ? for shortcuts"],
};
type Program = keyof typeof screens;
const SCREENS = 4;
const frames = Object.fromEntries(
  Object.entries(screens).map(([program, texts]) => [
    program,
    texts.map((text) => frameOf(text, { isCursorHidden: !text.includes("|") })),
  ]),
);
const readers: readonly Reader[] = [
  ...(["busy", "stopped", "prompt", "raw", "listening", "unknown"] as const).map((verdict) => ({
    program: "ask",
    verdict,
  })),
  { program: "bash", verdict: "raw" },
];

/** A fold that is woken when it asks for it, as `SessionView` does. */
class Session {
  #approvals = new Observed(new ApprovalFold());
  #timeUs = 0;
  #offset = 0;
  #frame;
  #isBehind = false;
  readonly #frames;
  readonly #program: Program;
  readonly changes: Approval[] = [];

  constructor(program: Program) {
    this.#program = program;
    this.#frames = frames[program] ?? [];
    this.#frame = this.#frames.at(-1)!;
    this.#step({ type: "start", command: [program], offset: 0, timeUs: 0 });
  }

  run(happenings: readonly Happening[]): this {
    for (const happening of happenings) {
      this.#advance(this.#timeUs + happening.afterMs * 1000);
      this.#do(happening);
    }
    return this;
  }

  /** Everything is drawn, and nothing more comes. */
  settle(): this {
    if (this.#isBehind) this.#draw();
    this.#advance(this.#timeUs + 60_000_000);
    return this;
  }

  get open(): Approval | null {
    return this.#approvals.reducer.save().open?.approval ?? null;
  }

  #do(happening: Happening): void {
    const at = { offset: this.#offset, timeUs: this.#timeUs };
    switch (happening.type) {
      case "draw":
        this.#offset += 10;
        this.#frame = this.#frames[happening.screen % this.#frames.length]!;
        return this.#draw();
      case "output":
        this.#isBehind = true;
        return;
      case "resize":
        return this.#step({ type: "frame", frame: { ...this.#frame, ...at, isResized: true } });
      case "kernel": {
        const { verdict } = happening.reader;
        // A shell would be the end of the agent.
        const program = this.#program === "codex" ? "codex" : happening.reader.program;
        const isShown = mayRead(verdict) && !this.#isBehind;
        const screen = isShown ? { frame: { ...this.#frame, ...at } } : {};
        return this.#step({ type: "foreground", verdict, program, echo: verdict === "prompt", ...screen, ...at });
      }
      case "keys":
        return this.#step({ type: "input", bytes: new TextEncoder().encode(happening.text), isSecret: false, ...at });
      case "tick": {
        const saved = structuredClone(this.#approvals.reducer.save());
        Object.assign(this.#approvals, { reducer: new ApprovalFold(saved) });
        return this.#step({ type: "tick", timeUs: this.#timeUs });
      }
    }
  }

  #draw(): void {
    this.#isBehind = false;
    this.#step({ type: "frame", frame: { ...this.#frame, offset: this.#offset, timeUs: this.#timeUs } });
  }

  #advance(timeUs: number): void {
    let wokenUs = -1;
    for (;;) {
      const { wakeUs } = this.#approvals.reducer;
      if (wakeUs === null || wakeUs > timeUs || wakeUs <= wokenUs) break;
      wokenUs = wakeUs;
      this.#step({ type: "tick", timeUs: wakeUs });
    }
    this.#timeUs = timeUs;
  }

  #step(step: Step): void {
    this.changes.push(...this.#approvals.step(step));
  }
}

const afterMs = fc.constantFrom(0, 5, 100, 399, 400, 401, 1500, 3000);
const program = fc.constantFrom<Program>("ask", "codex");
const kernel = fc.record({ type: fc.constant("kernel" as const), reader: fc.constantFrom(...readers), afterMs });
const screen = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant("draw" as const), screen: fc.nat(SCREENS - 1), afterMs }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constantFrom("output" as const, "resize" as const), afterMs }) },
);
const keys = fc.record({
  type: fc.constant("keys" as const),
  text: fc.constantFrom("y", "\r", "y\r", "\u001B"),
  afterMs,
});
const list = <Value>(...each: fc.Arbitrary<Value>[]): fc.Arbitrary<Value[]> =>
  fc.array(fc.oneof(...each), { maxLength: 12 });

test("at rest, what is asked is what the last screen and the last word of the kernel make of it, in any order", () => {
  fc.assert(
    fc.property(program, list<Happening>(screen, kernel), (of, happenings) => {
      const settled = new Session(of).run(happenings).settle();
      const last = happenings.findLast(({ type }) => type === "kernel");
      const drawn = happenings.findLast(({ type }) => type === "draw");
      const canonical = new Session(of).run([...(last ? [last] : []), ...(drawn ? [drawn] : [])]).settle();
      assert.deepEqual(shownOf(settled), shownOf(canonical));
      // Whoever follows the changes knows it.
      const { open } = settled;
      if (open !== null) assert.deepEqual(settled.changes.at(-1), open);
      else assert.ok(!["open", "hint"].includes(settled.changes.at(-1)?.state ?? ""));
    }),
    { numRuns: runsOf(3000) },
  );
});

test("earlier words of the kernel leave no trace: at rest the question is the one that it would be by the last one alone", () => {
  fc.assert(
    fc.property(program, list<Happening>(screen, kernel), (of, happenings) => {
      const last = happenings.findLast((each) => each.type === "kernel");
      const only = happenings.map((each): Happening =>
        each.type === "kernel" && last ? { ...last, afterMs: each.afterMs } : each,
      );
      const [one, other] = [happenings, only].map((each) => new Session(of).run(each).settle().open);
      // The first known reason of a hint is kept.
      assert.deepEqual({ ...one, whyHint: null }, { ...other, whyHint: null });
    }),
    { numRuns: runsOf(3000) },
  );
});

test("a fold that is woken or restored without a reason reports the same", () => {
  fc.assert(
    fc.property(program, list<Happening>(screen, kernel, keys), fc.array(fc.boolean()), (of, happenings, ticks) => {
      const woken = happenings.flatMap((each, index): Happening[] => {
        const half = Math.floor(each.afterMs / 2);
        return ticks[index] === true
          ? [
              { type: "tick", afterMs: half },
              { ...each, afterMs: each.afterMs - half },
            ]
          : [each];
      });
      assert.deepEqual(new Session(of).run(woken).settle().changes, new Session(of).run(happenings).settle().changes);
    }),
    { numRuns: runsOf(3000) },
  );
});

function shownOf({ open }: Session): unknown {
  if (open === null) return null;
  const { details, options, question, state } = open;
  return { details, options, question, state };
}
