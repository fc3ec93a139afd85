/** What a run prints: a line for each stage as it ends, failed tests in full, what was not run, and the sum. */
import type { Failure, JobResult, Skip } from "./job-process.ts";
import type { Stage } from "./jobs.ts";

export interface NotRun {
  readonly stage: string;
  /** A file, or every test of the stage. */
  readonly what: string;
  readonly why: string;
}

/** Where nothing can be replaced, as in the log of CI, progress is a line now and then. */
const PROGRESS_EVERY_MS = 60_000;
/** As many names of one reason as are printed. */
const NAMES_MAX = 8;

export class Printer {
  readonly #isTerminal = process.stdout.isTTY;
  readonly #hasColour = this.#isTerminal && !process.env["NO_COLOR"];
  #progress = "";
  #nextMs = performance.now() + PROGRESS_EVERY_MS;

  line(text: string): void {
    this.#clear();
    process.stdout.write(`${text}\n`);
    this.#draw();
  }

  /** On a terminal a line that is replaced by the next one. */
  progress(text: string): void {
    if (!this.#isTerminal) {
      if (performance.now() < this.#nextMs) return;
      this.#nextMs = performance.now() + PROGRESS_EVERY_MS;
      return this.line(`  ${text}`);
    }
    this.#clear();
    this.#progress = text.slice(0, Math.max(0, process.stdout.columns - 1));
    this.#draw();
  }

  stage({ name }: Stage, results: readonly JobResult[], seconds: number): void {
    const passed = sum(results.map((result) => result.passed));
    const failed = sum(results.map((result) => result.failed.length));
    const mark = failed === 0 ? this.#colour(32, "✔") : this.#colour(31, "✖");
    const count = failed === 0 ? `${passed} passed` : `${passed} passed, ${failed} failed`;
    this.line(`${mark} ${name.padEnd(12)} ${count.padStart(24)} ${seconds.toFixed(1).padStart(8)} s`);
  }

  failure({ job, failed, output }: JobResult): void {
    for (const failure of failed) this.line(this.#failure(failure));
    if (output.trim() !== "") this.line(`${this.#colour(2, `--- printed by ${job.name}`)}\n${output.trimEnd()}\n---`);
  }

  skips(skips: readonly Skip[]): void {
    for (const { file, name, why } of skips) this.line(`Skipped: ${file}: ${name}: ${why}`);
  }

  slowest(results: readonly JobResult[]): void {
    const slow = results.toSorted((one, other) => other.seconds - one.seconds).slice(0, NAMES_MAX);
    this.line(`Slowest: ${slow.map(({ job, seconds }) => `${job.name} ${seconds.toFixed(0)} s`).join(", ")}`);
  }

  notRun(rows: readonly NotRun[]): void {
    for (const [reason, group] of Map.groupBy(rows, ({ stage, why }) => `${stage}: ${why}`)) {
      const names = group.slice(0, NAMES_MAX).map(({ what }) => what);
      const more = group.length > NAMES_MAX ? ` and ${group.length - NAMES_MAX} more` : "";
      this.line(`Not run: ${reason}: ${names.join(", ")}${more}`);
    }
  }

  end(): void {
    this.#clear();
    this.#progress = "";
  }

  #failure({ name, text }: Failure): string {
    const indented = text.replaceAll(/^/gm, "    ");
    return `${this.#colour(31, `✖ ${name}`)}\n${indented}`;
  }

  #colour(code: number, text: string): string {
    return this.#hasColour ? `\u001B[${code}m${text}\u001B[0m` : text;
  }

  #clear(): void {
    if (this.#progress !== "") process.stdout.write("\r\u001B[2K");
  }

  #draw(): void {
    if (this.#progress !== "") process.stdout.write(this.#progress);
  }
}

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
