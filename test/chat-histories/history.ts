/**
 * Random histories of an agent that draws as Claude Code does: turns in which prompts and blocks come again, shown in windows that grow,
 * jump, scroll back, are painted by halves, resized and cleared. Each has a truth: what was said, in order.
 *
 * A step never leads to a window that a smaller step would explain as well: nobody could tell those two apart.
 */
import type { Frame } from "../../src/core/screen/frame.ts";
import type { ScreenLine } from "../../src/core/screen/screen-lines.ts";
import { Random } from "../simulation/random.ts";
import { Drawing, type Said } from "./drawing.ts";

export interface Shot {
  readonly frame: Frame;
  /** The user sent this before. */
  readonly typed?: string;
  readonly name: string;
  /** It shows the end of what was said as it is. */
  readonly isWhole: boolean;
  /** What was said until then. */
  readonly said: readonly Said[];
}

export interface History {
  readonly shots: readonly Shot[];
  readonly said: readonly Said[];
  /** Rows were never shown, so something may be marked as incomplete. */
  readonly hasLoss: boolean;
}

const FRAME_US = 500_000;
const PARTS: ReadonlySet<string> = new Set(["torn", "blanked", "back", "cut", "clear"]);
const NEVER = { column: 0, row: 0, isVisible: true } as unknown as Frame["cursor"];
const code = Array.from({ length: 9 }, (_, index) => `line ${index} of the code is the same`);
const prompts = [
  "run the tests again",
  "yes",
  "please go on with all that is left to do in this folder and tell me what you did",
];

class Agent {
  readonly #random: Random;
  readonly #isAlternate: boolean;
  readonly shots: Shot[] = [];
  readonly said: Said[] = [];
  hasLoss = false;
  #drawing: Drawing;
  #lines: number;
  /** Where this conversation begins in `said`. */
  #begun = 0;
  #turns = 0;
  /** Of the messages that were planned, and of the last one shown so many words. */
  #planned: Said[] = [];
  #words = 0;
  /** The rows that were shown last, in full, and the first of them in the window. */
  #rows: readonly ScreenLine[] = [];
  /** On the normal screen: the number of the first row that was ever drawn since the last redraw, and of those that left. */
  #base = 0;
  #left = 0;
  #typed: string | undefined;
  /** From this row on all were shown. */
  #known = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#isAlternate = random.chance(0.6);
    this.#lines = random.int(8, 22);
    this.#drawing = new Drawing(random.int(34, 60));
  }

  get #height(): number {
    return this.#lines - 4;
  }

  run(): void {
    const random = this.#random;
    const windows = random.int(5, 40);
    this.#grow(1);
    this.#shoot("start");
    while (this.shots.length < windows) this.#step();
    while (this.#planned.length > 0) {
      this.#growPlainly(random.int(10, 60));
      this.#shoot("end");
    }
  }

  #step(): void {
    const random = this.#random;
    switch (random.int(0, 23)) {
      case 0:
        return this.#torn();
      case 1:
        return this.#blanked();
      case 2:
        return this.#back();
      case 3:
        return random.chance(0.3) ? this.#clear() : undefined;
      case 4:
        return this.#resize();
      case 5:
        return this.#jump();
      default:
        this.#growPlainly(random.int(1, 30));
        this.#shoot("grow");
    }
  }

  /** So many words more; begins turns. */
  #grow(words: number): void {
    let rest = words;
    while (rest > 0) {
      if (this.#planned.length === 0) this.#planned = this.#turn();
      const [next] = this.#planned;
      if (next === undefined) return;
      if (this.#words === 0) this.said.push({ ...next, words: [] });
      const whole = next.role === "user" || next.role === "tool-call";
      const shown = whole ? next.words.length : Math.min(next.words.length, this.#words + rest);
      rest -= shown - this.#words;
      this.#words = shown;
      this.said[this.said.length - 1] = { ...next, words: next.words.slice(0, shown) };
      if (shown < next.words.length) return;
      this.#planned.shift();
      this.#words = 0;
      // A prompt is drawn before its answer.
      if (this.#planned.length === 0) return;
    }
  }

  /** Less than a window, so that nothing is lost, and never as if less had come. */
  #growPlainly(words: number): void {
    const stepMax = Math.max(1, this.#height - 3);
    let more = words;
    for (let tries = 0; tries < 24; tries += 1) {
      const before = this.#save();
      this.#grow(more);
      const rows = this.#render();
      const step = this.#topOf(rows) - this.#topOf(this.#rows);
      if (step > stepMax && more > 1) {
        this.#load(before);
        more = Math.ceil(more / 2);
      } else if (step > stepMax || !this.#isAmbiguous(rows, step)) return;
      else more = 1;
    }
  }

  /** More than a window at once. */
  #jump(): void {
    const top = this.#topOf(this.#rows);
    for (let tries = 0; tries < 8; tries += 1) {
      const before = this.#save();
      for (let times = this.#random.int(1, 12); times > 0; times -= 1) this.#grow(this.#random.int(10, 40));
      const rows = this.#render();
      const step = this.#topOf(rows) - top;
      if (!this.#isAlternate || (step > 0 && !this.#isAmbiguous(rows, step))) {
        if (this.#isAlternate && step > this.#height) this.hasLoss = true;
        if (this.hasLoss) this.#known = this.#topOf(rows);
        return this.#shoot("jump");
      }
      this.#load(before);
    }
  }

  /** The lower half is still that of the window before. */
  #torn(): void {
    const before = this.#window(this.#rows);
    this.#growPlainly(this.#random.int(1, 30));
    const now = this.#window(this.#render());
    const at = Math.floor(now.length / 2);
    if (this.#isAlternate) this.#take([...now.slice(0, at), ...before.slice(at)], "torn");
    this.#shoot("grow");
  }

  #blanked(): void {
    if (!this.#isAlternate) return;
    const now = this.#window(this.#rows);
    const at = this.#random.int(1, now.length);
    const isUpper = this.#random.chance(0.5);
    const half = now.map((row, index) => (index < at === isUpper ? this.#drawing.blank : row));
    // A welcome alone, or nothing, is how a cleared screen looks.
    if (half.filter(({ text }) => text !== "").length < 2) return;
    this.#take(half, "blanked");
    this.#shoot("same");
  }

  /** The user scrolls back, and returns. */
  #back(): void {
    if (!this.#isAlternate) return;
    const last = this.#topOf(this.#rows);
    // Rows that were never shown cannot be told from new ones.
    if (this.#known > last) return;
    const top = this.#random.int(this.#known, last);
    this.#take(this.#rows.slice(top, top + this.#height), "back");
    this.#shoot("same");
  }

  #clear(): void {
    while (this.#planned.length > 0) {
      this.#growPlainly(40);
      this.#shoot("end");
    }
    this.#begun = this.said.length;
    this.#known = 0;
    this.#base += this.#rows.length + 8;
    this.#left = 0;
    this.#rows = [];
    const isTyped = this.#random.chance(0.5);
    if (isTyped) this.#typed = "/clear";
    this.#take([], "clear");
    this.#grow(1);
    this.#shoot("start");
  }

  #resize(): void {
    const old = this.#window(this.#rows);
    const { columns } = this.#drawing;
    const wanted = this.#random.chance(0.3) ? columns : this.#random.int(34, 60);
    this.#lines = this.#random.int(8, 22);
    this.#drawing = new Drawing(wanted);
    if (this.#known > 0) this.#known = Infinity;
    const isFirst = this.#random.chance(0.5);
    if (isFirst && this.#isAlternate) {
      const height = this.#height;
      // The terminal cuts what stands there, and the agent draws anew afterwards.
      const cut = old.slice(-height).map((row) => this.#drawing.cut(row));
      this.#take(cut, "cut", true);
    }
    if (this.#random.chance(0.3)) this.#grow(this.#random.int(1, 12));
    // On the normal screen it prints all of it below what stood there.
    this.#base += this.#rows.length + 8;
    this.#left = 0;
    this.#rows = [];
    this.#shoot("resized", true);
  }

  #render(): readonly ScreenLine[] {
    return this.#drawing.rows(this.said, this.#begun);
  }

  #topOf(rows: readonly ScreenLine[]): number {
    return Math.max(0, rows.length - this.#height);
  }

  #window(rows: readonly ScreenLine[]): readonly ScreenLine[] {
    return rows.slice(this.#topOf(rows));
  }

  /** Rows that were shown before, or a smaller step from the last ones, would give the same window. */
  #isAmbiguous(rows: readonly ScreenLine[], step: number): boolean {
    const old = this.#rows;
    const [top, oldTop] = [this.#topOf(rows), this.#topOf(old)];
    // A small step is likelier than older rows.
    for (let from = step * 2 > this.#height ? 0 : oldTop; from < oldTop + step; from += 1) {
      let same = 0;
      let isSame = true;
      for (let index = 0; isSame && from + index < old.length && top + index < rows.length; index += 1) {
        const [before = "", now = ""] = [old[from + index]?.text, rows[top + index]?.text];
        isSame =
          before === now ||
          (from + index === old.length - 1 && now.startsWith(before)) ||
          (top + index === rows.length - 1 && before.startsWith(now));
        if (isSame && before !== "") same += 1;
      }
      if (isSame && same > 0) return true;
    }
    return false;
  }

  /** The window at the end of all rows. */
  #shoot(name: string, isResized = false): void {
    this.#rows = this.#render();
    this.#take(this.#window(this.#rows), name, isResized);
  }

  #take(window: readonly ScreenLine[], name: string, isResized = false): void {
    const { columns } = this.#drawing;
    const box = this.#drawing.box;
    const lines = [...window, ...box];
    while (lines.length < this.#lines) lines.push(this.#drawing.blank);
    const top = this.#isAlternate ? 0 : this.#topOf(this.#rows);
    const scrolled: ScreenLine[] = this.#isAlternate ? [] : this.#rows.slice(this.#left, top);
    this.#left = Math.max(this.#left, top);
    const index = this.shots.length;
    const frame: Frame = {
      offset: index + 1,
      timeUs: (index + 1) * FRAME_US,
      reason: "pause",
      columns,
      rows: this.#lines,
      title: "",
      cursor: { ...NEVER, row: window.length + 1, column: 2 },
      isAlternate: this.#isAlternate,
      takesPastes: false,
      lines: lines.slice(0, this.#lines),
      topLine: this.#isAlternate ? 0 : this.#base + top,
      scrolled,
      scrolledLost: 0,
      isResized,
    };
    this.shots.push({
      frame,
      name,
      isWhole: !PARTS.has(name),
      said: [...this.said],
      ...(this.#typed !== undefined && { typed: this.#typed }),
    });
    this.#typed = undefined;
  }

  #turn(): Said[] {
    const random = this.#random;
    const number = (this.#turns += 1);
    const isFirst = this.said.length === this.#begun;
    const prompt =
      !isFirst && random.chance(0.4) ? random.pick(prompts) : `please do item ${number} of ${random.int(1, 4)}`;
    const turn: Said[] = [said("user", prompt)];
    for (let calls = random.int(0, 5) - 3; calls > 0; calls -= 1)
      turn.push(
        said("tool-call", `Bash(make ${random.pick(["check", "test", "all of it"])})`),
        said("tool-result", random.pick(["ok", "3 passed", "3 passed\n0 failed\ndone"])),
      );
    turn.push(said("assistant", this.#answer(number)));
    return turn;
  }

  #answer(number: number): string {
    const random = this.#random;
    if (random.chance(0.15)) return random.pick(["Done.", "ok", `That was item ${number}.`]);
    const block = random.chance(0.5) ? code : code.slice(random.int(0, 4), random.int(5, 9));
    const parts = [
      `answer ${random.int(0, 2)} follows, and it is one that has to be wrapped on most screens`,
      block.join("\n"),
    ];
    if (random.chance(0.3)) parts.push(block.join("\n"));
    parts.push(random.chance(0.5) ? "that is all" : `that was all of item ${number}`);
    return parts.join("\n\n");
  }

  #save(): unknown[] {
    return [[...this.said], [...this.#planned], this.#words, this.#turns];
  }

  #load(saved: unknown[]): void {
    const [all, planned, words, turns] = saved as [Said[], Said[], number, number];
    this.said.splice(0, this.said.length, ...all);
    [this.#planned, this.#words, this.#turns] = [planned, words, turns];
  }
}

const said = (role: Said["role"], text: string): Said => ({ role, words: text.split(/(?<=\n)| /) });

export function historyOf(seed: number): History {
  const agent = new Agent(new Random(seed));
  agent.run();
  return agent;
}
