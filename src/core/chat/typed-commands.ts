/**
 * Commands to an agent, such as `/clear`, as they were typed. The keys are the better source: an agent carries out many commands without
 * showing them, and `/clear` removes from the screen what shows it.
 */
import type { MessageLog, MessagePlace } from "./message-log.ts";
import { isSimilar } from "./message-matcher.ts";

/** The message of a command that was sent. */
interface TypedCommand {
  readonly id: string;
  readonly text: string;
}

/**
 * A command that begins anew was typed; then what was said has gone from the screen as well, which a repaint can take back; then
 * something else was typed, and what is shown now is of another conversation, also if the same was said before.
 */
type Clearing = "typed" | "gone" | "anew" | null;

export interface TypedCommandsState {
  readonly commands: readonly TypedCommand[];
  readonly clearing: Clearing;
}

/** So many are kept, in case the screen shows them later. */
const COMMANDS_MAX = 8;
/** It begins the conversation anew, in every agent that has such a command. */
const clearCommand = /^\/(?:clear|new|reset)\b/;
const command = /^\/[a-z][\w:-]*(?:[ \t][^\n]*)?$/i;

export class TypedCommands {
  readonly #log: MessageLog;
  #commands: readonly TypedCommand[];
  #clearing: Clearing;

  constructor(log: MessageLog, state: TypedCommandsState = { commands: [], clearing: null }) {
    this.#log = log;
    this.#commands = state.commands;
    this.#clearing = state.clearing;
  }

  /** `line` was sent to the agent. */
  type(line: string, agent: string, place: MessagePlace): void {
    const text = line.trim();
    if (clearCommand.test(text)) this.#clearing = "typed";
    else if (this.#clearing !== null) this.#clearing = this.#clearing === "typed" ? null : "anew";
    if (!command.test(text)) return;
    const id = this.#log.say({ id: null, role: "command", agent, text }, place);
    this.#commands = [...this.#commands, { id, text }].slice(-COMMANDS_MAX);
  }

  /** What is shown is known to be another conversation. `hasLeft`: nothing that was said is shown. */
  beginsAnew(hasLeft: () => boolean): boolean {
    if (this.#clearing === "typed" || this.#clearing === "gone") this.#clearing = hasLeft() ? "gone" : "typed";
    return this.#clearing === "gone" || this.#clearing === "anew";
  }

  /** Another conversation has begun. */
  began(): void {
    this.#clearing = null;
  }

  has(id: string): boolean {
    return this.#commands.some((each) => each.id === id);
  }

  /** The id of the command that the screen shows as `text`, if it is not one of those in `shown`; null if none was typed. */
  shownAs(text: string, shown: ReadonlySet<string>): string | null {
    return this.#commands.find((each) => !shown.has(each.id) && isSimilar(each.text, text))?.id ?? null;
  }

  /** The screen shows `text` as a prompt: it looked like a command and was not one. */
  withdraw(text: string, place: MessagePlace): void {
    const found = this.#commands.find((each) => each.text === text.trim());
    if (found === undefined) return;
    this.#log.withdraw(found.id, place);
    this.#commands = this.#commands.filter((each) => each !== found);
  }

  /** No later screen shows them. */
  end(place: MessagePlace): void {
    for (const { id } of this.#commands) this.#log.finish(id, place);
    this.#commands = [];
  }

  save(): TypedCommandsState {
    return { commands: this.#commands, clearing: this.#clearing };
  }
}
