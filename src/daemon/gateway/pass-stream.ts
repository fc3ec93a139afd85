/**
 * A streamed answer on its way to the agent: text at once, tool calls when they are decided. One loop: read, hold, write, and
 * at the end of the turn judge and release.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { IdleOptions } from "../../core/gate/idle.ts";
import { TextMarks } from "../../core/wire/text-marks.ts";
import type { UsageLimitEnd } from "../../core/wire/usage-limit.ts";
import { TurnHold, type HoldLimits } from "../../core/wire/turn-hold.ts";
import type { Turn } from "../../core/wire/turn.ts";
import { waits } from "../../core/waits.ts";
import type { AgentResponse } from "./agent-response.ts";
import type { CallJudge, Judgement } from "./call-judge.ts";
import type { Exchange } from "./exchange.ts";
import { GatewayProblem } from "./gateway-problem.ts";
import { responseHeaders } from "./headers.ts";
import { IdleTimer } from "../../upstream/idle-timer.ts";
import type { UpstreamAnswer } from "./upstream.ts";

export const KEEP_ALIVE_MS = 10_000;

export interface PassOptions {
  readonly idle?: IdleOptions;
  readonly limits?: HoldLimits;
  /** Between two signs of life while calls are held, in milliseconds. Default 10,000. */
  readonly keepAliveMs?: number;
}

export interface PassContext {
  readonly exchange: Exchange;
  readonly agent: AgentResponse;
  readonly judge: CallJudge;
  readonly options: PassOptions;
  /** Texts without which the agent takes no text of an answer for a tool call. */
  readonly textCalls: readonly string[];
  /** Aborted when the agent went away. */
  readonly signal: AbortSignal;
}

/** What became of the answer. `problem`: why the agent got an error instead of the rest. */
export interface Passed extends Judgement {
  readonly turn: Turn;
  readonly problem: GatewayProblem | undefined;
  /** A limit of usage that the error of the model server reports. */
  readonly limit?: UsageLimitEnd | null;
  /** Ends the answer. Called when the turn is in the journal: an agent may end with its answer, and a session that has ended takes no marks. */
  readonly finish?: () => void;
}

/** Models may think for minutes without a word. */
const IDLE_MS = 300_000;
const LARGE_BYTES = 262_144;
/** One event may be so large; then the answer is broken off. */
const EVENT_BYTES_MAX = 16 * 1024 * 1024;

export async function passStream(answer: UpstreamAnswer, context: PassContext): Promise<Passed> {
  const { agent, options, textCalls } = context;
  const limits = { eventBytesMax: EVENT_BYTES_MAX, ...options.limits, textCalls };
  const hold = new TurnHold(context.exchange.dialect, limits);
  agent.head(answer.status, responseHeaders(answer.headers), "stream");
  using alive = new KeepAlive(agent, options.keepAliveMs ?? KEEP_ALIVE_MS);
  let problem: GatewayProblem | undefined;
  try {
    await readTurn(answer, hold, { context, alive });
    problem = problemOf(hold);
  } catch (error) {
    if (context.signal.aborted) throw error;
    problem = problemOfBody(error);
    context.exchange.observe(hold.end().deltas);
  }
  answer.settle(problem?.outcome ?? "success");
  answer.body.enough();
  await othersFirst(hold);
  const judgement = await judged(problem === undefined ? hold.turn : failed(hold.turn), context);
  if (problem !== undefined) agent.fail(problem);
  else if (hold.turn.error !== null && hold.holding) agent.failStream(hold.turn.error);
  else {
    await othersFirst(hold);
    const released = hold.release(judgement.denials);
    if (released.length > 0) await agent.write(released);
    return { ...judgement, turn: hold.turn, problem, finish: () => agent.end() };
  }
  return { ...judgement, turn: hold.turn, problem };
}

/** Reading, judging and releasing a large call each take a while: between two of them the loop does what else there is. */
async function othersFirst(hold: TurnHold): Promise<void> {
  if (hold.heldBytes > LARGE_BYTES) await nextTurn();
}

/** Calls of a turn that failed are judged too: each refusal is written down. */
export async function judged(turn: Turn, { exchange, judge, signal, textCalls }: PassContext): Promise<Judgement> {
  if (turn.toolCalls.length === 0) return { denials: new Map(), callIds: [] };
  const { dialect, id, tools } = exchange;
  const judgement = await judge.judge(turn, { id, dialect, tools, pastCalls: exchange.request.pastCalls, signal });
  // The text in place of a refused call names the tool, and what of the call is refused.
  const refused = turn.toolCalls.filter(({ slot }) => judgement.denials.has(slot));
  new TextMarks(textCalls).refuse([...judgement.denials.values(), ...refused.map(({ name }) => name)].join("\n"));
  return judgement;
}

/** What is not passed on must not be written down as begun, however whole its calls look. */
const failed = (turn: Turn): Turn => ({
  ...turn,
  toolCalls: turn.toolCalls.map((call) => ({ ...call, finish: "error", committable: false })),
});

/** Breaks a silent answer off. */
export const idleTimer = ({ body }: UpstreamAnswer, { idle }: PassOptions): IdleTimer =>
  new IdleTimer({ firstEventMs: IDLE_MS, betweenEventsMs: IDLE_MS, ...idle }, (silentMs) =>
    body.stop(silent(silentMs)),
  );

interface Reading {
  readonly context: PassContext;
  readonly alive: KeepAlive;
}

async function readTurn(answer: UpstreamAnswer, hold: TurnHold, { alive, context }: Reading): Promise<void> {
  const { agent, exchange, options } = context;
  // A server that says nothing is cut off, which ends the wait for its next word.
  using idle = idleTimer(answer, options);
  let isBegun = false;
  using rest = new Deadline(() => answer.body.enough(), waits.partMs);
  await answer.body.each((chunk) => {
    const { deltas, events, pass } = hold.feed(chunk);
    const blocked = pass.length === 0 ? undefined : agent.write(pass);
    if (events > 0) idle.event();
    if (!isBegun && events > 0 && hold.turn.error === null) {
      isBegun = true;
      answer.begun();
    }
    if (deltas.length > 0) exchange.observe(deltas);
    if (hold.holding) alive.start();
    if (hold.awaitsErrorRest) rest.start();
    if (!hold.closed) return blocked === undefined ? undefined : idle.during(blocked);
    answer.body.enough();
    return undefined;
  });
  const { deltas, pass } = hold.end();
  exchange.observe(deltas);
  if (pass.length > 0) await agent.write(pass);
}

function problemOf(hold: TurnHold): GatewayProblem | undefined {
  const { failure, turn } = hold;
  if (failure !== undefined) {
    const type = failure.code === "TOO_LARGE" ? "upstream_too_large" : "upstream_malformed";
    return new GatewayProblem(type, 502, { message: failure.message, cause: failure });
  }
  if (turn.finish !== "truncated") return undefined;
  return new GatewayProblem("upstream_truncated", 502, {
    message: "The model server ended the stream in the middle of a turn; no call of it was passed on",
  });
}

const silent = (silentMs: number): GatewayProblem =>
  new GatewayProblem("upstream_idle", 504, {
    message: `The model server has been silent for ${Math.round(silentMs / 1000)} s; no call of this turn was passed on`,
  });

/** What it means that the body of an answer could not be read to its end. */
export function problemOfBody(cause: unknown): GatewayProblem {
  if (cause instanceof GatewayProblem) return cause;
  return new GatewayProblem("upstream_reset", 502, {
    message: "The connection to the model server broke in the middle of a turn; no call of it was passed on",
    cause,
  });
}

class Deadline implements Disposable {
  readonly #reached: () => void;
  readonly #afterMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(reached: () => void, afterMs: number) {
    this.#reached = reached;
    this.#afterMs = afterMs;
  }

  start(): void {
    this.#timer ??= setTimeout(this.#reached, this.#afterMs);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** Signs of life for an agent that waits, from the first call on. */
class KeepAlive implements Disposable {
  readonly #agent: AgentResponse;
  readonly #everyMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(agent: AgentResponse, everyMs: number) {
    this.#agent = agent;
    this.#everyMs = everyMs;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#agent.keepAlive(), this.#everyMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
