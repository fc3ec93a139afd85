/** Answers that are not streamed: those with a turn go through the same gate, all others go on as they are. */
import { denyInAnswer } from "../../core/wire/deny-calls.ts";
import { TextMarks } from "../../core/wire/text-marks.ts";
import type { Dialect, Turn } from "../../core/wire/turn.ts";
import { usageLimitOf, type UsageLimitEnd } from "../../core/wire/usage-limit.ts";
import { readAnswer } from "../../core/wire/wire-reader.ts";
import { GatewayProblem } from "./gateway-problem.ts";
import { headerOf, responseHeaders } from "./headers.ts";
import {
  idleTimer,
  judged,
  KEEP_ALIVE_MS,
  problemOfBody,
  type PassContext,
  type Passed,
  type PassOptions,
} from "./pass-stream.ts";
import type { AgentResponse } from "./agent-response.ts";
import type { UpstreamAnswer } from "./upstream.ts";
import { jsonValueOf } from "../../core/json/json-value.ts";

/** A whole answer with a turn. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
/** An error of a server. */
const ERROR_BYTES_MAX = 1024 * 1024;

/** A turn in one JSON body. */
export async function passWhole(answer: UpstreamAnswer, context: PassContext): Promise<Passed> {
  const { agent, exchange, options } = context;
  const body = await readAll(answer, ANSWER_BYTES_MAX, options);
  const { deltas, turn } = readAnswer(exchange.dialect, body.toString(), { strict: true });
  exchange.observe(deltas);
  answer.settle("success");
  new TextMarks(context.textCalls).refuse(turn.text);
  const isUnreadable = turn.error?.type === "MALFORMED" || turn.error?.type === "TOO_LARGE";
  const waiting = setInterval(() => {
    // JSON may begin with white space: so the connection stays open while a person is asked.
    if (!agent.begun) agent.head(answer.status, responseHeaders(answer.headers), "whole");
    agent.keepAlive();
  }, options.keepAliveMs ?? KEEP_ALIVE_MS);
  const judgement = await judged(turn, context).finally(() => clearInterval(waiting));
  if (isUnreadable || (turn.error !== null && turn.toolCalls.length > 0)) {
    const message = turn.error?.message ?? "The answer cannot be read";
    const problem = new GatewayProblem("upstream_malformed", 502, { message });
    agent.fail(problem);
    return { ...judgement, turn, problem };
  }
  const { denials } = judgement;
  if (!agent.begun) agent.head(answer.status, responseHeaders(answer.headers), "whole");
  const given = denials.size === 0 ? body : denyInAnswer(exchange.dialect, body.toString(), { turn, denials });
  return { ...judgement, turn, problem: undefined, finish: () => agent.end(given) };
}

/** An error of the server: as it came where it is JSON, else in the words of the dialect. */
export async function passError(
  answer: UpstreamAnswer,
  { agent, exchange, options }: PassContext,
): Promise<Partial<Passed>> {
  const { headers, status } = answer;
  const type = headerOf(headers, "content-type") ?? "nothing";
  if (isJson(type) && status >= 400) {
    const body = await readAll(answer, ERROR_BYTES_MAX, options);
    const text = body.toString();
    const { turn } = readAnswer(exchange.dialect, text);
    if (carriesCall(exchange.dialect, text, turn)) {
      const problem = new GatewayProblem("upstream_malformed", status, {
        message: `The model server answered ${status} with what may be a tool call; it was not passed on`,
      });
      agent.fail(problem);
      return { problem };
    }
    agent.head(status, responseHeaders(headers), "whole");
    agent.end(body);
    return { turn, limit: limitOf(answer, text) };
  }
  answer.body.stop();
  answer.settle("failure");
  const problem = new GatewayProblem("upstream_malformed", status >= 400 ? status : 502, {
    message: `The model server answered ${status} with ${type.split(";")[0]?.slice(0, 100)}`,
  });
  agent.fail(problem);
  return { problem };
}

/** Null if it is another error. */
function limitOf({ headers, status }: UpstreamAnswer, text: string): UsageLimitEnd | null {
  const header = (name: string): string | undefined => headerOf(headers, name) ?? undefined;
  return usageLimitOf({ status, header, body: jsonValueOf(text), nowMs: Date.now() });
}

/** Nobody decides about a call in an error: it is one that was read, or an error with parts of a turn that are not understood. */
function carriesCall(dialect: Dialect, body: string, plain: Turn): boolean {
  if (plain.toolCalls.length > 0) return true;
  const { turn } = readAnswer(dialect, body, { strict: true });
  const isForeign = turn.error?.type === "MALFORMED" && plain.error?.type !== "MALFORMED";
  return turn.toolCalls.length > 0 || (isForeign && turnParts.test(body));
}

const turnParts = /"(?:choices|content|output|candidates|response|(?:tool|function)_?calls?)"\s*:|\\u00/i;

/** Whatever is no turn of a model, byte by byte. */
export async function passPlain(answer: UpstreamAnswer, agent: AgentResponse, options: PassOptions): Promise<void> {
  const { headers, status } = answer;
  const type = headerOf(headers, "content-type") ?? "";
  if (status >= 300 && status < 400) {
    answer.body.stop();
    throw new GatewayProblem("gateway_refused", 502, {
      message: "The model server points elsewhere: name that address",
    });
  }
  if (isEventStream(type)) {
    answer.body.stop();
    throw new GatewayProblem("gateway_refused", 502, {
      message: "This path streams, and the gateway does not know it",
    });
  }
  agent.head(status, responseHeaders(headers), "whole");
  using idle = idleTimer(answer, options);
  const write = (chunk: Buffer): Promise<void> | undefined => {
    idle.event();
    const blocked = agent.write([chunk]);
    return blocked === undefined ? undefined : idle.during(blocked);
  };
  await answer.body.each(write).catch(throwBroken);
  agent.end();
  answer.settle("success");
}

export const isEventStream = (contentType: string): boolean => /^\s*text\/event-stream\s*(?:$|[;,])/i.test(contentType);

export const isJson = (contentType: string): boolean => /^application\/(?:[\w.-]+\+)?json\b/i.test(contentType);

function throwBroken(error: unknown): never {
  throw problemOfBody(error);
}

async function readAll(answer: UpstreamAnswer, bytesMax: number, options: PassOptions): Promise<Buffer> {
  using idle = idleTimer(answer, options);
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer): undefined => {
    idle.event();
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new GatewayProblem("upstream_too_large", 502, { message: `The answer is larger than ${bytesMax} bytes` });
    }
    chunks.push(chunk);
  };
  await answer.body.each(take).catch(throwBroken);
  return Buffer.concat(chunks);
}
