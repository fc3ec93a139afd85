/** What the gateway saw of the talk with the model: exact texts, to which messages of the screen are matched. */
import type { Mark } from "../records.ts";
import type { ChatMessage } from "./message.ts";
import { letters, type Saying } from "./revision.ts";

/** Said on the wire. */
interface WireText {
  readonly role: "user" | "assistant" | "tool-call" | "tool-result";
  readonly text: string;
  /** For a tool call: its name. */
  readonly tool: string;
  /** The id of the call on the wire. */
  readonly call: string;
  /** The message that shows it, once it was found. */
  readonly message: string | null;
}

export type WireTextsState = readonly WireText[];

const textsMax = 24;
const textCharsMax = 65_536;

export class WireTexts {
  #texts: WireText[];
  /** Exchanges without tools are asides, such as for a title; their turns are not shown. */
  #hasTools = true;

  constructor(state: WireTextsState = []) {
    this.#texts = [...state];
  }

  /** True where the mark brought something that messages may show. */
  mark(mark: Mark): boolean {
    switch (mark.type) {
      case "wire-request":
        this.#hasTools = mark.tools > 0;
        if (this.#hasTools) for (const { type, text } of mark.parts) if (type === "user") this.#add("user", text);
        return this.#hasTools;
      case "wire-turn":
        if (this.#hasTools) this.#add("assistant", mark.text);
        return this.#hasTools;
      case "wire-tool-call":
        this.#add("tool-call", mark.argumentsText ?? "", mark);
        return true;
      default:
        return false;
    }
  }

  /** What the wire says of the message; null if nothing on it is this message. */
  find(message: ChatMessage): Saying | null {
    const index = this.#texts.findLastIndex((text) => this.#fits(text, message));
    const found = this.#texts[index];
    if (found === undefined) return null;
    this.#texts[index] = { ...found, message: message.id };
    const { role, text } = found;
    const tool = role === "tool-call" ? { name: found.tool, input: text } : null;
    return { source: "wire", text, tool };
  }

  save(): WireTextsState {
    return [...this.#texts];
  }

  #add(role: WireText["role"], text: string, { tool = "", call = "" } = {}): void {
    if (letters(text) === "") return;
    this.#texts.push({ role, text: text.slice(0, textCharsMax), tool, call, message: null });
    if (this.#texts.length > textsMax) this.#texts.shift();
  }

  #fits(text: WireText, message: ChatMessage): boolean {
    if (text.role !== message.role || (text.message !== null && text.message !== message.id)) return false;
    return text.role === "tool-call" ? isCall(text, message) : isShown(letters(text.text), letters(message.text));
  }
}

/** They begin alike, as far as the shorter one goes; a few letters may be missing in the beginning of what is shown. */
function isShown(exact: string, shown: string): boolean {
  if (exact === "" || shown === "") return false;
  const length = Math.min(exact.length, shown.length, 16);
  if (length < 16 && exact !== shown && !(exact.startsWith(shown) && shown.length * 2 >= exact.length)) return false;
  return exact.startsWith(shown.slice(0, length));
}

/** The name, or the beginning of one of the arguments, stands in what is shown. */
function isCall(call: WireText, message: ChatMessage): boolean {
  const shown = letters(message.text);
  const values = [...call.text.matchAll(/:\s*"((?:[^"\\]|\\.){4,})"/g)].map((match) => letters(match[1] ?? ""));
  return values.some((value) => value.length >= 4 && shown.includes(value.slice(0, 16)));
}
