/** Reads lines, confirmations and Ctrl-C from the person at the agent's terminal. Without a terminal there is nobody to ask. */
import { createInterface, type Interface } from "node:readline/promises";
import type { CliContext } from "../context.ts";

export class Keyboard implements Disposable {
  readonly #lines: Interface | undefined;
  readonly #ended = new AbortController();
  /** Questions are asked one after the other. */
  #asking: Promise<unknown> = Promise.resolve();
  #onInterrupt: () => void = () => undefined;

  constructor({ stdin, stdout }: Pick<CliContext, "stdin" | "stdout">) {
    if (!stdin.isTTY) return;
    this.#lines = createInterface({ input: stdin, output: stdout, terminal: true });
    this.#lines.on("SIGINT", () => this.#onInterrupt());
    this.#lines.on("close", () => this.#ended.abort());
  }

  /** Whether questions can be asked. */
  get isThere(): boolean {
    return this.#lines !== undefined;
  }

  /** Sets what Ctrl-C does. */
  onInterrupt(act: () => void): void {
    this.#onInterrupt = act;
  }

  /** Undefined at the end of the input, and when `signal` is aborted. */
  line(prompt: string, signal: AbortSignal): Promise<string | undefined> {
    const lines = this.#lines;
    if (lines === undefined) return Promise.resolve(undefined);
    const both = AbortSignal.any([signal, this.#ended.signal]);
    const asked = this.#asking.then(async () => {
      if (both.aborted) return undefined;
      // Rejects only if the signal is aborted or the input has ended.
      return lines.question(prompt, { signal: both }).catch(() => undefined);
    });
    this.#asking = asked;
    return asked;
  }

  async confirm(question: string, signal: AbortSignal): Promise<boolean | undefined> {
    const answer = await this.line(`${question} [y/N] `, signal);
    return answer === undefined ? undefined : /^y(es)?$/i.test(answer.trim());
  }

  [Symbol.dispose](): void {
    this.#lines?.close();
  }
}
