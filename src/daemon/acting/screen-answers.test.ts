import assert from "node:assert/strict";
import { test } from "node:test";
import { noSubject, type Approval } from "../../core/dialogs/approval.ts";
import type { Reader } from "../../core/acting/draft.ts";
import type { ViewChange } from "../../core/views/change.ts";
import { QuestionList } from "../approvals/question-list.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { questionScreens } from "./screen-answers.ts";
import type { SessionViews } from "../views/session-views.ts";

const DOWN = "\u001B[B";

/** A dialog with three options whose program takes each key `lateMs` after it was pressed, if at all. */
class LateDialog {
  readonly typed: string[] = [];
  readonly questions = new QuestionList();
  readonly #lateMs: number;
  readonly #listeners = new Set<(changes: readonly ViewChange[]) => void>();
  #approval: Approval = {
    id: "a1",
    source: "screen",
    kind: "permission",
    agent: "codex",
    question: "Run it?",
    details: "$ ls",
    ...noSubject,
    options: ["1", "2", "3"].map((id) => ({ id, label: `Option ${id}`, effect: "other" })),
    isComplete: true,
    selected: "1",
    offset: 1,
    timeUs: 0,
    state: "open",
    whyHint: null,
    answer: null,
  };

  /** Option that somebody else ticks while the mark is moved. */
  readonly #tickedMeanwhile: string | null;
  /** Its program was not known to read while the key was on its way. */
  isHintMeanwhile = false;
  /** So often the host does not know what the program waits for now. */
  outdatedLooks = 0;

  constructor(lateMs: number, tickedMeanwhile: string | null = null) {
    this.#lateMs = lateMs;
    this.#tickedMeanwhile = tickedMeanwhile;
    if (tickedMeanwhile === null) return;
    const options = this.#approval.options.map((option) => ({ ...option, checked: false }));
    this.#approval = { ...this.#approval, options };
  }

  /** Id of the option on which Enter has fallen. */
  async answer(option: string): Promise<string | null> {
    const entry = {
      id: "s1",
      stored: { name: "one" },
      leaderPid: null,
      live: true,
      untilEnd: async (signal: AbortSignal) =>
        await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
      mark: () => Promise.resolve(),
      probe: () => Promise.resolve(this.outdatedLooks-- <= 0),
      input: (bytes: Uint8Array) => {
        this.typed.push(Buffer.from(bytes).toString());
        if (this.isHintMeanwhile) setImmediate(() => this.#report({ ...this.#approval, state: "hint" }));
        if (this.#lateMs < Infinity) setTimeout(() => this.#take(Buffer.from(bytes).toString()), this.#lateMs);
        return Promise.resolve({ offset: 0, next: 0 });
      },
    } as unknown as SessionEntry;
    const reader: Reader = { agent: "codex", run: 1, pid: null, lastPid: null };
    const current = (): Approval[] => this.questions.onScreen("s1");
    const views = {
      complete: () => Promise.resolve(),
      caughtUp: () => Promise.resolve(),
      get openApprovals() {
        return current();
      },
      subscribe: (listener: (changes: readonly ViewChange[]) => void) => {
        this.#listeners.add(listener);
        return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
      },
      view: { keysFor: () => Promise.resolve({ keys: this.#keysFor(option), whyUnread: null, reader }) },
    };
    const sessions = { use: (_: unknown, run: (of: unknown) => unknown) => run(views) } as unknown as SessionViews;
    this.questions.screens = questionScreens(sessions, () => entry);
    this.questions.report("s1", this.#approval);
    const digest = this.questions.list("s1")[0]?.digest ?? "";
    await this.questions.answer({ session: "s1", id: "a1", option, digest, by: "anna" });
    return this.#approval.answer?.option ?? null;
  }

  #keysFor(option: string): { readonly keys: readonly string[]; readonly isComplete: boolean } {
    const isThere = this.#approval.selected === option;
    return { keys: [isThere ? "Enter" : "Down"], isComplete: isThere };
  }

  #take(key: string): void {
    const { selected } = this.#approval;
    this.#report(
      key === DOWN
        ? { ...this.#approval, selected: String(Number(selected) + 1), options: this.#optionsNow() }
        : { ...this.#approval, state: "answered", answer: { option: selected, by: "anna", timeUs: 1 } },
    );
  }

  #report(approval: Approval): void {
    this.#approval = approval;
    this.questions.report("s1", this.#approval);
    for (const listener of this.#listeners)
      listener([{ kind: "approval", offset: 1, timeUs: 0, approval: this.#approval }]);
  }

  #optionsNow(): Approval["options"] {
    const ticked = this.#tickedMeanwhile;
    return this.#approval.options.map((option) => (option.id === ticked ? { ...option, checked: true } : option));
  }
}

test("a mark that moves late is moved once, and Enter falls on the option that was meant", async () => {
  const dialog = new LateDialog(800);
  assert.equal(await dialog.answer("2"), "2");
  assert.deepEqual(dialog.typed, [DOWN, "\r"]);
});

test("an answer is taken though its question was a hint for a moment: the host reported late that its program reads", async () => {
  const dialog = new LateDialog(100);
  dialog.isHintMeanwhile = true;
  assert.equal(await dialog.answer("1"), "1");
});

test("nothing is pressed by a report of the kernel that is not of now: the answer waits for one, and is refused without", async () => {
  const late = new LateDialog(20);
  late.outdatedLooks = 2;
  assert.equal(await late.answer("2"), "2");
  const never = new LateDialog(20);
  never.outdatedLooks = Infinity;
  await assert.rejects(never.answer("2"), {
    code: "CONFLICT",
    message: /not known whether its program reads now; answer it again/,
  });
  assert.deepEqual(never.typed, []);
});

test("a mark that does not move is not moved again: the answer is refused", async () => {
  const dialog = new LateDialog(Infinity);
  await assert.rejects(dialog.answer("2"), { code: "CONFLICT", message: /keys were pressed, .* left in the line/ });
  assert.deepEqual(dialog.typed, [DOWN]);
});

test("a box that somebody else ticks while the mark is moved ends the answer: nothing more is pressed", async () => {
  const dialog = new LateDialog(20, "3");
  await assert.rejects(dialog.answer("2"), { code: "CONFLICT", message: /the question has changed.*left in the line/ });
  assert.deepEqual(dialog.typed, [DOWN]);
});
