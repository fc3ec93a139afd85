/** Which way the answer to a request for a turn goes: as a stream, as one body, or as an error. */
import { headerOf } from "./headers.ts";
import { type PassContext, type Passed, passStream } from "./pass-stream.ts";
import { isEventStream, isJson, passError, passWhole } from "./pass-whole.ts";
import type { UpstreamAnswer } from "./upstream.ts";

/** Throws `GatewayProblem`, and whatever broke the body. */
export async function passAnswer(answer: UpstreamAnswer, context: PassContext): Promise<Partial<Passed>> {
  const type = headerOf(answer.headers, "content-type") ?? "";
  if (answer.status !== 200 || !isUtf8(type)) return passError(answer, context);
  if (isJson(type)) return passWhole(answer, context);
  const isStream = isEventStream(type) || (type === "" && context.exchange.request.stream);
  return isStream ? passStream(answer, context) : passError(answer, context);
}

/** The answer is read as UTF-8, and some clients read it as the header says. */
function isUtf8(contentType: string): boolean {
  const charsets = [...contentType.matchAll(/charset\s*=\s*["']?([^\s"';,]*)/gi)].map(([, name = ""]) => name);
  return charsets.every((name) => /^(?:utf-?8|us-ascii)$/i.test(name));
}
