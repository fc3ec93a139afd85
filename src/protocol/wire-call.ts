/** A tool call of a model in the journal of a session, in the form that a policy judges. */
import { LecternError } from "../core/errors.ts";
import type { JudgedCall } from "../core/gate/tool-call.ts";
import { parseJson } from "../core/json/parse-json.ts";
import type { WireToolCallEvent } from "../core/records.ts";

/** The call as input of the gate; undefined if its arguments were too long to be recorded. */
export function judgedCall(event: WireToolCallEvent): JudgedCall | undefined {
  const { call: id, kind, tool: name, argumentsText, status, provenance, finish } = event;
  if (argumentsText === null) return undefined;
  const facts = { id, kind, name, argumentsText, provenance, finish };
  const value = kind === "custom" ? argumentsText : parsed(argumentsText);
  return value === undefined
    ? { ...facts, arguments: null, status: status === "complete" ? "invalid" : status }
    : { ...facts, arguments: value, status };
}

function parsed(text: string): unknown {
  if (text.trim() === "") return {};
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof LecternError) return undefined;
    throw error;
  }
}

/** A session's labels as the globs of a policy's `session` see them: `key=value`. */
export const policyLabels = (labels: Readonly<Record<string, string>>): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}=${value}`);
