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

export type TypedCommandsState = readonly TypedCommand[];

/** So many are kept, in case the screen shows them later. */
const COMMANDS_MAX = 8;
const clearCommand = /^\/(?:clear|new|reset)\b/;
const command = /^\/[a-z][\w:-]*(?:[ \t][^\n]*)?$/i;

/** It begins the conversation anew, in every agent that has such a command. */
export const isClearCommand = (line: string): boolean => clearCommand.test(line.trim());

export class TypedCommands {
  readonly #log: MessageLog;
  #commands: readonly TypedCommand[];

  constructor(log: MessageLog, state: TypedCommandsState = []) {
    this.#log = log;
    this.#commands = state;
  }

  /** `line` was sent to the agent. */
  type(line: string, agent: string, place: MessagePlace): void {
    const text = line.trim();
    if (!command.test(text)) return;
    const id = this.#log.say({ id: null, role: "command", agent, text }, place);
    this.#commands = [...this.#commands, { id, text }].slice(-COMMANDS_MAX);
  }

  has(id: string): boolean {
    return this.#commands.some((each) => each.id === id);
  }

  /** The id of the command that the screen shows as `text`, if it is not one of those in `shown`; null if none was typed. */
  shownAs(text: string, shown: ReadonlySet<string>): string | null {
    return this.#commands.find((each) => !shown.has(each.id) && isSimilar(each.text, text))?.id ?? null;
  }

  /** The screen shows `text` as a prompt: what looked like a command was none. */
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
    return this.#commands;
  }
}
