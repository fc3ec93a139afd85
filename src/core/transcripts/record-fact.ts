/** The entries of an agent's record as facts of the journal. */
import type { RecordEntry, RecordMessage } from "./record-entry.ts";
import { fieldsOf, type JsonObject } from "../wire/shape.ts";

/** The source of these facts. */
export const RECORD_SOURCE = "record";

/** What the journal keeps of an agent's record: an entry of it, or the reason for which it is not followed any more. */
export type RecordFact = {
  readonly agent: string;
  /** The agent's id of the conversation. */
  readonly conversation: string;
} & ({ readonly entry: RecordEntry } | { readonly stopped: string });

const ROLES: readonly RecordMessage["role"][] = ["user", "assistant", "tool-call", "tool-result", "command"];
const TAKEN_BACK = ["rewound", "edited", "cleared", "compacted", "cancelled"] as const;
const INCOMPLETE = ["interrupted", "failed", "cut"] as const;

/** Null for what a later version has written in another form. */
export function readRecordFact(payload: unknown): RecordFact | null {
  const { agent, conversation, entry, stopped } = fieldsOf(payload);
  if (typeof agent !== "string" || typeof conversation !== "string") return null;
  if (typeof stopped === "string") return { agent, conversation, stopped };
  const read = readEntry(fieldsOf(entry));
  return read === null ? null : { agent, conversation, entry: read };
}

function readEntry(fields: JsonObject): RecordEntry | null {
  const { kind, id, from, ids, why, timeMs, text, name } = fields;
  switch (kind) {
    case "conversation":
      return typeof id === "string" ? { kind, id, ...(typeof from === "string" && { from }) } : null;
    case "message":
      return readMessage(fields);
    case "taken-back": {
      const reason = TAKEN_BACK.find((one) => one === why);
      const isList = Array.isArray(ids) && ids.every((one: unknown) => typeof one === "string");
      return reason === undefined || !isList ? null : { kind, ids, why: reason };
    }
    case "failed":
      return typeof timeMs === "number" && typeof text === "string" ? { kind, timeMs, text } : null;
    case "unknown":
      return typeof name === "string" ? { kind, name } : null;
    default:
      return null;
  }
}

function readMessage(fields: JsonObject): RecordMessage | null {
  const { id, text, timeMs } = fields;
  const role = ROLES.find((one) => one === fields["role"]);
  if (role === undefined || typeof id !== "string" || typeof text !== "string" || typeof timeMs !== "number")
    return null;
  const incomplete = INCOMPLETE.find((one) => one === fields["incomplete"]);
  const others = Object.fromEntries(
    (["tool", "call", "agent"] as const).flatMap((key) =>
      typeof fields[key] === "string" ? [[key, fields[key]]] : [],
    ),
  );
  return { kind: "message", id, role, text, timeMs, ...others, ...(incomplete !== undefined && { incomplete }) };
}
