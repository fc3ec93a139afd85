/** What a held call is about, from its arguments: the names are those that agents give to the arguments of their tools. */
import type { QuestionSubject } from "../../core/dialogs/approval.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import type { ToolCall } from "../../core/wire/turn.ts";
import { jsonValueOf } from "../../core/json/json-value.ts";

const CHARS_MAX = 4000;
const COMMANDS = ["command", "cmd", "script", "commands"];
const DIRECTORIES = ["workdir", "cwd", "directory", "dir_path", "working_directory"];
const REASONS = ["description", "justification", "reason"];
const FILES = ["file_path", "filePath", "filepath", "path", "file"];
const TEXTS = ["content", "file_text", "new_string", "newString", "new_str", "patch", "input", "diff"];

export function subjectOfCall({ argumentsText, name }: Pick<ToolCall, "argumentsText" | "name">): QuestionSubject {
  const found = argumentsOf(argumentsText);
  const command = textIn(found, COMMANDS);
  const file = textIn(found, FILES);
  const change = [file, textIn(found, TEXTS)].filter((part) => part !== null).join("\n");
  return {
    tool: name,
    command,
    change: command === null && change !== "" ? change.slice(0, CHARS_MAX) : null,
    directory: textIn(found, DIRECTORIES),
    reason: textIn(found, REASONS),
  };
}

/** None of a custom tool, which takes text as it is: the details have it. */
function argumentsOf(text: string): Readonly<Record<string, unknown>> {
  const value = jsonValueOf(text);
  return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

/** The first of these that is a text, or a list of texts: of words, or of commands. */
function textIn(found: Readonly<Record<string, unknown>>, names: readonly string[]): string | null {
  for (const name of names) {
    const value = Object.hasOwn(found, name) ? found[name] : undefined;
    const isList = Array.isArray(value) && value.every((one) => typeof one === "string");
    const text = isList ? (name === "commands" ? value.join("\n") : displayCommand(value)) : value;
    if (typeof text === "string" && text !== "") return text.slice(0, CHARS_MAX);
  }
  return null;
}
