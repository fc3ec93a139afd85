/** Which way the answer to a request for a turn goes: as a stream, as one body, or as an error. */
import { headerOf } from "./headers.ts";
import { type PassContext, type Passed, passStream } from "./pass-stream.ts";
import { isJson, passError, passWhole } from "./pass-whole.ts";
import type { UpstreamAnswer } from "./upstream.ts";

/** Throws `GatewayProblem`, and whatever broke the body. */
export async function passAnswer(answer: UpstreamAnswer, context: PassContext): Promise<Partial<Passed>> {
  const type = headerOf(answer.headers, "content-type") ?? "";
  if (answer.status !== 200) return passError(answer, context);
  if (isJson(type)) return passWhole(answer, context);
  const isStream = type.startsWith("text/event-stream") || (type === "" && context.exchange.request.stream);
  return isStream ? passStream(answer, context) : passError(answer, context);
}
