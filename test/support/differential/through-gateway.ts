/** Gives an answer to the gateway as it runs in the daemon, with a judge that decides by chance, and takes what comes out. */
import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { Readable } from "node:stream";
import type { ToolCall, Turn } from "../../../src/core/wire/turn.ts";
import { AgentResponse } from "../../../src/daemon/gateway/agent-response.ts";
import { AnswerBody } from "../../../src/daemon/gateway/answer-body.ts";
import type { CallJudge, Judgement } from "../../../src/daemon/gateway/call-judge.ts";
import { Exchange } from "../../../src/daemon/gateway/exchange.ts";
import { GatewayProblem } from "../../../src/daemon/gateway/gateway-problem.ts";
import { headerOf } from "../../../src/daemon/gateway/headers.ts";
import { passAnswer } from "../../../src/daemon/gateway/wire-session.ts";
import { unpacked } from "../../../src/daemon/gateway/upstream.ts";
import type { PassedAnswer, SeenCall, ServerAnswer } from "./answer.ts";

/** Takes what the gateway writes to an agent. */
class AgentEnd extends ServerResponse {
  readonly parts: Uint8Array[] = [];
  status = 0;
  pairs: (readonly [string, string])[] = [];
  isBroken = false;
  override headersSent = false;

  constructor() {
    super(new IncomingMessage(new Socket()));
  }

  override writeHead(status: number, ...rest: unknown[]): this {
    this.headersSent = true;
    this.status = status;
    const headers = rest.at(-1);
    if (Array.isArray(headers)) {
      for (let at = 0; at + 1 < headers.length; at += 2)
        this.pairs.push([String(headers[at]), String(headers[at + 1])]);
    } else if (typeof headers === "object" && headers !== null) {
      this.pairs = Object.entries(headers).map(([name, value]) => [name, String(value)]);
    }
    return this;
  }

  override flushHeaders(): void {
    this.headersSent = true;
  }

  override write(part: unknown): boolean {
    this.parts.push(new Uint8Array(Buffer.from(part as Uint8Array | string)));
    return true;
  }

  override end(last?: unknown): this {
    if (last !== undefined) this.write(last);
    return this;
  }

  override destroy(): this {
    this.isBroken = true;
    return this;
  }
}

/** `denies`: which of the calls that could be allowed are refused. */
export async function throughGateway(answer: ServerAnswer, denies: (call: ToolCall) => boolean): Promise<PassedAnswer> {
  const end = new AgentEnd();
  const agent = new AgentResponse(end, answer.dialect);
  const allowed: SeenCall[] = [];
  let calls = 0;
  const judge = {
    judge: async (turn: Turn): Promise<Judgement> => {
      const denials = new Map<number, string>();
      calls += turn.toolCalls.length;
      for (const call of turn.toolCalls) {
        if (!isExecutable(call) || denies(call)) denials.set(call.slot, "it is refused");
        else allowed.push({ name: call.name, input: call.arguments });
      }
      return { denials, callIds: turn.toolCalls.map(({ id }) => id) };
    },
  };
  const exchange = new Exchange({ id: "x", dialect: answer.dialect, body: "{}", path: "/", mark: async () => 0 });
  try {
    const body = unpacked(
      Readable.from(answer.chunks, { objectMode: false }),
      headerOf(answer.headers, "content-encoding"),
    );
    const { finish } = await passAnswer(
      {
        status: 200,
        headers: answer.headers,
        body: new AnswerBody(body),
        attempts: 1,
        begun: () => undefined,
        settle: () => undefined,
      },
      {
        agent,
        exchange,
        // The judge has a policy, an audit log and questions to people; here only its decisions matter.
        judge: judge as unknown as CallJudge,
        options: {},
        textCalls: [],
        signal: new AbortController().signal,
      },
    );
    finish?.();
  } catch (error) {
    agent.fail(
      error instanceof GatewayProblem ? error : new GatewayProblem("upstream_reset", 502, { message: String(error) }),
    );
  }
  return { status: end.status, headers: end.pairs, body: new Uint8Array(Buffer.concat(end.parts)), allowed, calls };
}

/** What the gate demands of each call before a policy is asked. */
const isExecutable = (call: ToolCall): boolean =>
  call.committable &&
  (call.kind === "custom" ||
    (typeof call.arguments === "object" && call.arguments !== null && !Array.isArray(call.arguments)));
