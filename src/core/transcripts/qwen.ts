/** Qwen Code: `projects/DIRECTORY/chats/ID.jsonl`. Read from 0.15, which has no `provenance`, up to 0.24. */
import { asList, asName, asObject, asText, type JsonObject } from "../wire/shape.ts";
import { Branches } from "./branches.ts";
import type { RecordEntry } from "./record-entry.ts";
import {
  callEntry,
  compacted,
  ConversationId,
  messageBase,
  messageIds,
  resultEntry,
  rewound,
  unknownEntry,
  type MessageBase,
  type RowReader,
} from "./row-reader.ts";

export class QwenRows implements RowReader {
  readonly #branches = new Branches();
  readonly #conversation = new ConversationId();

  read(row: JsonObject): readonly RecordEntry[] {
    const id = asName(row["uuid"]) ?? "?";
    const entries = entriesOf(row, id);
    const parent = asName(row["parentUuid"]) ?? null;
    const isPrompt = entries.some((entry) => entry.kind === "message" && entry.role === "user");
    const left = this.#branches.add(id, parent, messageIds(entries), isPrompt);
    return [...this.#conversation.enter(row["sessionId"]), ...rewound(left), ...entries];
  }
}

function entriesOf(row: JsonObject, id: string): readonly RecordEntry[] {
  const { message, provenance, systemPayload, timestamp, type } = row;
  const base = messageBase(timestamp);
  const parts = asList(asObject(message)?.["parts"]).map((part) => asObject(part) ?? {});
  const system = asObject(systemPayload) ?? {};
  switch (type) {
    case "user": {
      const text = asText(system["displayText"]) ?? texts(parts, "\n");
      const isSaid = provenance === undefined || provenance === "real_user";
      return [
        ...parts.flatMap((part) => responseEntries(part, base)),
        ...(isSaid && text !== "" ? [{ ...base, id, role: "user", text } as const] : []),
      ];
    }
    case "assistant": {
      const text = texts(parts, "");
      return [
        ...(text === "" ? [] : [{ ...base, id, role: "assistant", text } as const]),
        ...parts.flatMap((part, index) => callEntries(part, base, `${id}:${index}`)),
      ];
    }
    case "tool_result":
      return parts.flatMap((part) => responseEntries(part, base));
    case "system":
      return systemEntries(row["subtype"], system, { ...base, id });
    default:
      return [unknownEntry(type)];
  }
}

const texts = (parts: readonly JsonObject[], between: string): string =>
  parts.flatMap(({ text, thought }) => (thought === true ? [] : (asText(text) ?? []))).join(between);

function callEntries({ functionCall }: JsonObject, base: MessageBase, otherwise: string): RecordEntry[] {
  const call = asObject(functionCall);
  if (call === undefined) return [];
  return [callEntry(base, asName(call["id"]) ?? otherwise, { ...call, input: call["args"] })];
}

function responseEntries({ functionResponse }: JsonObject, base: MessageBase): RecordEntry[] {
  const { id, response } = asObject(functionResponse) ?? {};
  const call = asName(id);
  const { error, output } = asObject(response) ?? {};
  return call === undefined ? [] : [resultEntry(base, { call, text: asText(output) ?? asText(error) ?? "" })];
}

function systemEntries(
  subtype: unknown,
  payload: JsonObject,
  base: MessageBase & { readonly id: string },
): readonly RecordEntry[] {
  if (subtype === "chat_compression") return [compacted];
  const command = asName(payload["rawCommand"]);
  if (subtype === "slash_command")
    return command === undefined || payload["phase"] !== "invocation"
      ? []
      : [{ ...base, role: "command", text: command }];
  const { error, error_message: message = error, "event.name": name } = asObject(payload["uiEvent"]) ?? {};
  if (name !== "qwen-code.api_error") return [];
  return [{ kind: "failed", timeMs: base.timeMs, text: asName(message) ?? "error of the API" }];
}
