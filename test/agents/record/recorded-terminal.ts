/** A program on a pty, recorded as an asciicast v2: what it wrote, what was typed, and how large it was, with times. */
import { StringDecoder } from "node:string_decoder";
import { setTimeout as sleep } from "node:timers/promises";
import { Screen } from "../../../src/core/screen/screen.ts";
import type { Pty } from "../../../src/pty/pty.ts";
import { spawnPty } from "../../../src/pty/spawn.ts";
import type { CastEvent } from "../../frames.ts";

const pollMs = 20;

export class RecordedTerminal implements AsyncDisposable {
  readonly events: CastEvent[] = [];
  readonly #screen: Screen;
  readonly #pty: Pty;
  readonly #decoder = new StringDecoder("utf8");
  /** When it began, on the clock of `performance.now`. */
  readonly startMs = performance.now();
  readonly #size: { readonly columns: number; readonly rows: number };
  /** When the text on the screen changed last, seconds. */
  #changedAt = 0;
  #text = "";

  constructor(
    command: readonly [string, ...string[]],
    options: {
      readonly columns: number;
      readonly rows: number;
      readonly workingDirectory: string;
      readonly environment: Readonly<Record<string, string>>;
    },
  ) {
    this.#size = { columns: options.columns, rows: options.rows };
    this.#screen = new Screen(this.#size);
    this.#pty = spawnPty({
      ...options,
      command,
      onOutput: (chunk) => this.#output(chunk),
      onExit: () => undefined,
    });
  }

  /** Seconds since the start. */
  get now(): number {
    return Math.round((performance.now() - this.startMs) * 1000) / 1e6;
  }

  get changedAt(): number {
    return this.#changedAt;
  }

  /** What is shown, row by row. */
  get rows(): readonly string[] {
    return Array.from({ length: this.#screen.rows }, (_, row) => this.#screen.row(row).text);
  }

  type(text: string): void {
    this.events.push([this.now, "i", text]);
    this.#pty.write(new TextEncoder().encode(text));
  }

  resize({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    this.events.push([this.now, "r", `${columns}x${rows}`]);
    this.#screen.resize(columns, rows);
    this.#pty.resize({ columns, rows });
  }

  /** Key by key, as a person types. */
  async typeSlowly(text: string, keyMs = 12): Promise<void> {
    for (const key of text) {
      this.type(key);
      await sleep(keyMs);
    }
  }

  /** Resolves with the time when `isThere` holds of what is shown. */
  async until(isThere: (rows: readonly string[]) => boolean, what: string, seconds = 60): Promise<number> {
    const end = this.now + seconds;
    while (!isThere(this.rows)) {
      if (this.now > end) throw new Error(`${what} did not come:\n${this.rows.join("\n")}`);
      await sleep(pollMs);
    }
    return this.now;
  }

  /** Resolves when the text has stood still for so long; returns when it changed last. */
  async still(forSeconds: number, seconds = 30): Promise<number> {
    const end = this.now + seconds;
    while (this.now - Math.max(this.#changedAt, end - seconds) < forSeconds && this.now < end) await sleep(pollMs);
    return this.#changedAt;
  }

  async wait(seconds: number): Promise<void> {
    await sleep(seconds * 1000);
  }

  /** The recording as a file. */
  cast(): string {
    const head = { version: 2, width: this.#size.columns, height: this.#size.rows, env: { TERM: "xterm-256color" } };
    return `${[head, ...this.events].map((line) => JSON.stringify(line)).join("\n")}\n`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#pty.kill({ graceMs: 0 });
    this.#screen.dispose();
  }

  #output(chunk: Uint8Array): void {
    const data = this.#decoder.write(Buffer.from(chunk));
    if (data !== "") this.events.push([this.now, "o", data]);
    const reply = this.#screen.feed(Uint8Array.from(chunk));
    const text = withoutSpinners(this.rows);
    if (text !== this.#text) this.#changedAt = this.now;
    this.#text = text;
    if (reply.length > 0) this.type(new TextDecoder().decode(reply));
  }
}

/** What turns while nothing happens: spinners and counts of seconds. */
const withoutSpinners = (rows: readonly string[]): string =>
  rows.join("\n").replaceAll(/[\u2800-\u28FF■⬝◐◑◒◓✢✳✶✻✽]|\b\d+(?:\.\d+)?\s?m?s\b/gu, "");
