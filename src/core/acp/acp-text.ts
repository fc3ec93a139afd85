/** The text of a terminal for a session that has none: what a person would want to read of a connection, as it happens. */
import { removeActingLines } from "../text/escape.ts";
import { cutText } from "../text/cut-text.ts";
import type { DriverEvent, DriverQuestion, DriverTool } from "./acp-fold.ts";

/** Of the output of a tool call. */
const OUTPUT_CHARS_MAX = 4000;
/** Tool calls whose state is remembered. */
const TOOLS_MAX = 1000;

const DIM = "\x1b[2m";
const NORMAL = "\x1b[0m";

/** What a program wrote to its standard error, cut anywhere between characters: what follows at once continues it. */
interface StandardErrorText {
  readonly type: "stderr";
  readonly text: string;
}

export class AcpText {
  /** The message that was written last; "" if something else was. */
  #message = "";
  #isLineOpen = false;
  readonly #tools = new Map<string, string>();

  /** Text for a terminal: lines end with CR LF. */
  write(events: readonly (DriverEvent | StandardErrorText)[]): string {
    return events
      .map((event) => this.#write(event))
      .join("")
      .replaceAll("\n", "\r\n");
  }

  #write(event: DriverEvent | StandardErrorText): string {
    switch (event.type) {
      case "turn-start":
        return this.#block(`> ${clean(event.prompt)}`);
      case "turn-end":
        if (event.stop === "end_turn") return this.#block("");
        return this.#block(
          [`[${clean(event.stop)}]`, ...(event.message === null ? [] : [clean(event.message)])].join(" "),
        );
      case "text":
        return this.#say(event.message, event.role === "thought" ? dim(clean(event.text)) : clean(event.text));
      case "stderr":
        return event.text === "" ? "" : this.#say("stderr", clean(event.text));
      case "tool":
        return this.#tool(event.tool);
      case "question":
        return this.#block(questionText(event.question));
      case "question-gone":
        return this.#block(event.option === null ? "[no answer]" : `[answer: ${clean(event.option)}]`);
      case "notice":
        return this.#block(`[${clean(event.severity)}] ${clean(event.text)}`);
      case "noise":
        return this.#block(clean(event.text));
      case "raw":
        return "";
    }
  }

  #say(message: string, text: string): string {
    const start = message === this.#message ? "" : this.#newLine();
    this.#message = message;
    this.#isLineOpen = !text.endsWith("\n");
    return start + text;
  }

  #tool(tool: DriverTool): string {
    const isEnd = tool.state === "completed" || tool.state === "failed";
    const shown = `${isEnd ? tool.state : "runs"} ${tool.title}`;
    if (this.#tools.get(tool.call) === shown) return "";
    const wasShown = this.#tools.has(tool.call);
    this.#tools.delete(tool.call);
    this.#tools.set(tool.call, shown);
    if (this.#tools.size > TOOLS_MAX) this.#tools.delete(this.#tools.keys().next().value ?? "");
    const name = clean(tool.title || tool.name || tool.kind);
    if (!isEnd) return this.#block(`* ${name}`);
    const output = cutText(clean(tool.output), OUTPUT_CHARS_MAX, "the rest is in the journal");
    const lines = output === "" ? "" : `\n${indented(output)}`;
    const head = tool.state === "failed" ? `* ${name} [failed]` : `* ${name}`;
    return wasShown && tool.state !== "failed" && lines === "" ? "" : this.#block(head + lines);
  }

  /** Lines of their own. */
  #block(text: string): string {
    const start = this.#newLine();
    this.#message = "";
    this.#isLineOpen = false;
    return text === "" ? start : `${start}${text}\n`;
  }

  #newLine(): string {
    return this.#isLineOpen ? "\n" : "";
  }
}

function questionText({ tool, options }: DriverQuestion): string {
  const lines = options.map(({ id, label }) => `  ${clean(id)}: ${clean(label)}`);
  return [`? ${clean(tool.title || tool.name || tool.kind)}`, ...lines].join("\n");
}

const clean = (text: string): string => removeActingLines(text);
const dim = (text: string): string => `${DIM}${text}${NORMAL}`;
const indented = (text: string): string => text.replaceAll(/^/gm, "  ");
