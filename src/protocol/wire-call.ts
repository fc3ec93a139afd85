/** A tool call of a model as it stands in a session's journal, and as a policy judges it again. */
import { LecternError } from "../core/errors.ts";
import type { Effect } from "../core/gate/policy-schema.ts";
import type { JudgedCall } from "../core/gate/tool-call.ts";
import { parseJson } from "../core/json/parse-json.ts";

/** Kept in a `mark` record, when the turn is over. */
export interface WireToolCallEvent {
  readonly type: "wire-tool-call";
  /** The call's id, as in the audit log. */
  readonly call: string;
  readonly kind: JudgedCall["kind"];
  readonly tool: string;
  /** As received; null where it is longer than a record should be. */
  readonly argumentsText: string | null;
  /** SHA-256 of the whole text. */
  readonly argumentsHash: string;
  readonly status: JudgedCall["status"];
  readonly provenance: JudgedCall["provenance"];
  readonly finish: JudgedCall["finish"];
  /** The dialect. */
  readonly source: string;
  /** What the gate said, before a person was asked; null where no gate stood in the way. */
  readonly effect: Effect | null;
  /** As in the audit log. */
  readonly decidedBy: string | null;
}

/** Of a mark's event, which a later Lectern may have written; undefined for any other kind. */
export function asWireToolCall(event: unknown): WireToolCallEvent | undefined {
  if (typeof event !== "object" || event === null) return undefined;
  const { type, call, tool } = event as Partial<Record<keyof WireToolCallEvent, unknown>>;
  const isOne = type === "wire-tool-call" && typeof call === "string" && typeof tool === "string";
  return isOne ? (event as WireToolCallEvent) : undefined;
}

/** The call as the gate takes it; undefined where its arguments were too long to be kept. */
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
