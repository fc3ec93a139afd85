/**
 * The messages of Codex's own server (`codex app-server`) that a session keeps, each a fact of its journal: JSON-RPC as the server sent it,
 * and what Lectern reports about its connection.
 * @see https://developers.openai.com/codex/app-server
 */
import type { SourceFact } from "../records.ts";
import { asText, fieldsOf, type JsonObject } from "../wire/shape.ts";

/** The source of these facts. */
export const CODEX_SERVER = "codex-server";

/** Reports of Lectern among the messages of the server. */
export const codexReports = {
  /** A connection begins: what was known of conversations before is not. */
  connected: "lectern/connected",
  /** A conversation as the server has it now: `{ thread }`. */
  thread: "lectern/thread",
  /** `{ reason }`: nothing is known any more. */
  lost: "lectern/lost",
  /** `{ request, option }`: somebody answers through Lectern. */
  answer: "lectern/answer",
} as const;

/** Requests of the server that a person answers with a decision. */
export const COMMAND_APPROVAL = "item/commandExecution/requestApproval";
export const FILE_APPROVAL = "item/fileChange/requestApproval";

const KEPT_METHODS: ReadonlySet<string> = new Set([
  ...Object.values(codexReports),
  COMMAND_APPROVAL,
  FILE_APPROVAL,
  "item/permissions/requestApproval",
  "item/tool/requestUserInput",
  "mcpServer/elicitation/request",
  "serverRequest/resolved",
  "thread/started",
  "thread/status/changed",
  "thread/closed",
  "thread/tokenUsage/updated",
  "turn/started",
  "turn/completed",
  "item/started",
  "item/completed",
  "account/rateLimits/updated",
  "error",
]);

/** UTF-16 units of one text of a message: outputs of commands have megabytes. */
const TEXT_CHARS_MAX = 8192;
/** Items of one list, and levels of nesting. */
const LIST_ITEMS_MAX = 200;
const LEVELS_MAX = 20;

/** One message; a request has an `id`. */
export interface CodexMessage {
  readonly id?: string | number;
  readonly method: string;
  readonly params: JsonObject;
  /** Something of the parameters was left out. */
  readonly isCut?: true;
}

/** What is kept of a message of the server; null for one that no view needs. Longer texts are cut. */
export function keptMessage(message: JsonObject): CodexMessage | null {
  const read = readMessage(message);
  if (read === null || !KEPT_METHODS.has(read.method)) return null;
  const found = { isCut: false };
  const params = fieldsOf(cut(read.params, 0, () => (found.isCut = true)));
  return { ...read, params, ...(found.isCut && { isCut: true as const }) };
}

/** The message that a fact has; null for a fact of another source. */
export const codexMessageIn = ({ source, payload }: SourceFact): CodexMessage | null =>
  source === CODEX_SERVER ? readMessage(fieldsOf(payload)) : null;

function readMessage({ id, isCut, method, params }: JsonObject): CodexMessage | null {
  const name = asText(method);
  if (name === undefined) return null;
  const request = typeof id === "string" || typeof id === "number" ? { id } : {};
  return { ...request, method: name, params: fieldsOf(params), ...(isCut === true && { isCut }) };
}

function cut(value: unknown, level: number, onCut: () => void): unknown {
  if (typeof value === "string") {
    if (value.length <= TEXT_CHARS_MAX) return value;
    onCut();
    return `${value.slice(0, TEXT_CHARS_MAX)} [cut]`;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value);
  if (level === LEVELS_MAX || entries.length > LIST_ITEMS_MAX) onCut();
  if (level === LEVELS_MAX) return "[cut]";
  const kept = entries.slice(0, LIST_ITEMS_MAX).map(([key, field]) => [key, cut(field, level + 1, onCut)] as const);
  return Array.isArray(value) ? kept.map(([, field]) => field) : Object.fromEntries(kept);
}
