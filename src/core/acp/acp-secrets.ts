/** Secrets that an editor gives to its agent with the settings of a connection, and that no journal keeps: keys of APIs and of MCP servers. */
import { encodeMessage, isRequest, type RpcMessage } from "./acp-lines.ts";
import { asObject, fieldsOf } from "../wire/shape.ts";

const SETTING_METHODS: ReadonlySet<string> = new Set([
  "initialize",
  "authenticate",
  "session/new",
  "session/load",
  "session/resume",
]);

/** Lists of MCP servers: `[{ name, value }]`. All values are secrets. */
const VALUE_LISTS: ReadonlySet<string> = new Set(["env", "headers"]);
const SECRET_NAME =
  /token|secret|passw|passphrase|api[-_]?key|access[-_]?key|private[-_]?key|authorization|credential|cookie/i;

const MASK = "•••";

/** The message as the journal keeps it; null for one without secrets, which is kept as it is. */
export function withoutSecrets(message: RpcMessage): Uint8Array | null {
  if (!isRequest(message) || !SETTING_METHODS.has(message.method ?? "")) return null;
  const params = masked(message.params, false);
  return JSON.stringify(params) === JSON.stringify(message.params) ? null : encodeMessage({ ...message, params });
}

/** `isSecret`: all texts below are. */
function masked(value: unknown, isSecret: boolean): unknown {
  if (typeof value === "string") return isSecret && value !== "" ? MASK : value;
  if (Array.isArray(value)) return value.map((each) => masked(each, isSecret));
  const fields = asObject(value);
  if (fields === undefined) return value;
  return Object.fromEntries(
    Object.entries(fields).map(([name, each]) => {
      if (VALUE_LISTS.has(name) && Array.isArray(each)) return [name, each.map(withoutValue)];
      return [name, masked(each, isSecret || SECRET_NAME.test(name) || VALUE_LISTS.has(name))];
    }),
  );
}

const withoutValue = (pair: unknown): unknown =>
  typeof pair === "string" ? MASK : { ...fieldsOf(pair), value: masked(fieldsOf(pair)["value"], true) };
