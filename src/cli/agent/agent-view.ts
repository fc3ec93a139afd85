/** Prints the agent's text and calls, or its events as JSON lines. */
import { escapeForDisplay, removeActingLines } from "../../core/text/escape.ts";
import type { WireDelta } from "../../core/wire/turn.ts";
import type { ExecutorEvent } from "../../executor/executor.ts";
import type { CliContext } from "../context.ts";

const SHOWN_CHARS_MAX = 160;

export class AgentView {
  readonly #context: Pick<CliContext, "write" | "style">;
  readonly #json: boolean;
  /** Writes run in order; `flush` waits for them. */
  #written: Promise<void> = Promise.resolve();
  #failure: unknown;
  /** The current line is incomplete. */
  #inLine = false;

  constructor(context: Pick<CliContext, "write" | "style">, json: boolean) {
    this.#context = context;
    this.#json = json;
  }

  delta(delta: WireDelta): void {
    if (this.#json) return this.#event(delta);
    const { style } = this.#context;
    switch (delta.type) {
      case "text-delta":
        return this.#text(delta.text);
      case "tool-call-start":
        return this.#line(style.dim(`… ${escapeForDisplay(delta.name)}`));
      case "error":
        return this.#line(style.red(escapeForDisplay(`${delta.error.type}: ${delta.error.message ?? ""}`)));
      case "finish":
        return this.#endLine();
      case "thinking-delta":
      case "tool-call-delta":
      case "tool-call-end":
      case "usage":
        return undefined;
    }
  }

  executor(event: ExecutorEvent): void {
    if (this.#json) return this.#event({ ...event, call: event.call.id, tool: event.call.name });
    const { style } = this.#context;
    const name = escapeForDisplay(event.call.name);
    switch (event.type) {
      case "call-start":
        return this.#line(`${style.bold(name)} ${shortened(event.call.argumentsText)}`);
      case "call-refused":
        return this.#line(style.yellow(`${name} refused: ${escapeForDisplay(event.message)}`));
      case "call-end": {
        const cut =
          event.omittedBytes === 0
            ? ""
            : `, ${event.omittedBytes} bytes omitted: lectern blob ${event.hash.slice(0, 16)}`;
        const result = event.message === "" ? event.result : `${event.result}: ${event.message}`;
        return this.#line(style.dim(`${name} ${shortened(result)}${cut}`));
      }
    }
  }

  note(text: string): void {
    if (this.#json) this.#event({ type: "note", text });
    else this.#line(this.#context.style.dim(escapeForDisplay(text)));
  }

  /** Resolves when everything is written. Throws what a write threw. */
  async flush(): Promise<void> {
    await this.#written;
    if (this.#failure !== undefined) throw this.#failure;
  }

  #event(event: object): void {
    this.#write(`${JSON.stringify(event)}\n`);
  }

  #text(text: string): void {
    const shown = removeActingLines(text);
    if (shown === "") return;
    this.#inLine = !shown.endsWith("\n");
    this.#write(shown);
  }

  #line(text: string): void {
    this.#endLine();
    this.#write(`${text}\n`);
  }

  #endLine(): void {
    if (this.#inLine) this.#write("\n");
    this.#inLine = false;
  }

  #write(text: string): void {
    this.#written = this.#written
      .then(() => (this.#failure === undefined ? this.#context.write(text) : undefined))
      .catch((error: unknown) => void (this.#failure ??= error));
  }
}

function shortened(text: string): string {
  const shown = escapeForDisplay(text.slice(0, SHOWN_CHARS_MAX + 1));
  return text.length <= SHOWN_CHARS_MAX ? shown : `${shown.slice(0, SHOWN_CHARS_MAX)}…`;
}
