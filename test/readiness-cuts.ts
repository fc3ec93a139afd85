/** Holds the readers of readiness to the same result at every single cut of a recording. */
import assert from "node:assert/strict";
import { CommandTracker, type ShellStep } from "../src/core/readiness/command-tracker.ts";
import { beginWait, stepWait, type WaitEffect } from "../src/core/readiness/ready-wait.ts";
import { Sanitizer } from "../src/core/text/sanitizer.ts";
import { ChangedModes } from "../src/core/vt/changed-modes.ts";
import { recordedOutput } from "./recordings.ts";

const FIRST_BYTES = 20_000;

/** Everything that is read of some bytes, at one cut. */
class Reader {
  readonly #tracker = new CommandTracker();
  readonly #modes = new ChangedModes();
  readonly #sanitizer = new Sanitizer();
  #wait = beginWait(
    {
      strategy: "auto",
      foreground: null,
      markers: ["$ ", ">>> ", "(gdb) ", "sqlite> ", "> "],
      timeoutMs: 1e9,
      settleMs: 200,
      quietMs: 80,
    },
    0,
  );
  #offset = 0;
  #steps: string[] = [];
  #output = "";

  feed(bytes: Uint8Array): void {
    this.#sanitizer.feed(bytes);
    this.#modes.feed(bytes);
    const steps = this.#tracker.feed(bytes, this.#offset);
    this.#offset += bytes.length;
    for (const step of steps) this.#note(step);
    this.#wait = stepWait(this.#wait, { type: "output", lastLine: this.#sanitizer.pending, steps }, 0).state;
  }

  get result(): unknown {
    return {
      steps: this.#steps,
      output: this.#output,
      paste: this.#modes.isBracketedPaste,
      full: this.#modes.isAlternateScreen,
      line: this.#sanitizer.pending,
      ready: this.#ready,
    };
  }

  get #ready(): WaitEffect {
    return stepWait(this.#wait, { type: "tick" }, 200).effect;
  }

  #note(step: ShellStep): void {
    if (step.type === "output") this.#output += Buffer.from(step.bytes).toString("latin1");
    else this.#steps.push(`${step.type} at ${this.#output.length}`);
  }
}

/** Cuts the first 20 kB in two at each byte. */
export function assertReadyAtEachCut(name: string): void {
  const bytes = recordedOutput(name).subarray(0, FIRST_BYTES);
  const whole = new Reader();
  whole.feed(bytes);
  const expected = JSON.stringify(whole.result);
  for (let cut = 1; cut < bytes.length; cut++) {
    const reader = new Reader();
    reader.feed(bytes.subarray(0, cut));
    reader.feed(bytes.subarray(cut));
    if (JSON.stringify(reader.result) !== expected) assert.deepEqual(reader.result, whole.result, `cut at ${cut}`);
  }
}
