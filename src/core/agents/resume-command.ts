/**
 * The command that continues a conversation: that of the session before, with its options, without its first prompt and without what it said
 * about earlier conversations.
 */
import type { Agent } from "./agent.ts";
import { programName } from "./command-line.ts";

/**
 * Null if the command does not show where its agent's arguments begin, or if it is not known how the agent continues a conversation.
 */
export function resumeCommand(command: readonly string[], agent: Agent, id: string): readonly string[] | null {
  const at = command.findIndex((word) => isProgram(word, agent));
  if (at < 0 || !agent.resume.some((word) => word.includes("{id}"))) return null;
  const words = agent.resume.map((word) => word.replaceAll("{id}", id));
  return [...command.slice(0, at + 1), ...words, ...kept(command.slice(at + 1), agent)];
}

/** The command of a session that was resumed, without what it said about its conversation. Unchanged if it does not show its agent. */
export function anewCommand(command: readonly string[], agent: Agent): readonly string[] {
  const at = command.findIndex((word) => isProgram(word, agent));
  return at < 0 ? command : [...command.slice(0, at + 1), ...kept(command.slice(at + 1), agent)];
}

/** `claude`, `/usr/bin/claude`, `@anthropic-ai/claude-code@latest`. */
function isProgram(word: string, { commands, packages }: Agent): boolean {
  if (word.startsWith("-")) return false;
  return commands.includes(programName(word)) || packages.some((name) => word === name || word.startsWith(`${name}@`));
}

function kept(words: readonly string[], { conversation }: Agent): readonly string[] {
  const { drop = [], lists = [], values = [], words: others = "prompt" } = conversation ?? {};
  const found: string[] = [];
  for (let at = 0; at < words.length;) {
    const word = words[at] ?? "";
    if (word === "--") {
      if (others === "keep") found.push(...words.slice(at));
      break;
    }
    const [name = ""] = word.split("=");
    const end =
      at + 1 + valuesBehind(words.slice(at + 1), { isOne: values.includes(word), isList: lists.includes(word) });
    const isKept = word.startsWith("-") ? !drop.includes(name) : others === "keep";
    if (isKept) found.push(...words.slice(at, end));
    at = end;
  }
  return found;
}

/** How many of the next words are values of an option. */
function valuesBehind(
  words: readonly string[],
  { isOne, isList }: { readonly isOne: boolean; readonly isList: boolean },
): number {
  if (!isOne && !isList) return 0;
  const next = words.findIndex((word) => word.startsWith("-"));
  const all = next < 0 ? words.length : next;
  return isList ? all : Math.min(1, all);
}
