/** The answer to a question of an agent: what is written, and the key by which the first one counts, whoever gives it. */
import { crc32 } from "../bytes/crc32.ts";
import { encodeMessage, type RpcMessage } from "./acp-lines.ts";

/** Of a mark in the journal. */
const KEY_CHARS_MAX = 500;

/** What tells a question from others of its agent, as text: the id of its request, and what it asks, as ids may be used again. */
export const requestText = ({ id, params = null }: RpcMessage): string =>
  JSON.stringify([id, crc32(new TextEncoder().encode(JSON.stringify(params)))]);

/** Each answer to this question has it. */
export const answerKey = (request: string): string => `acp-answer ${request}`.slice(0, KEY_CHARS_MAX);

/** The line that chooses an option, by its id. */
export function answerLine(request: string, optionId: string): Uint8Array {
  const [id] = JSON.parse(request) as readonly [string | number];
  return encodeMessage({ id, result: { outcome: { outcome: "selected", optionId } } });
}
