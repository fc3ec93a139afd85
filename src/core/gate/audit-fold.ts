/**
 * What the audit log says about each call: folded over its rows, so that after a `kill -9` the calls that were
 * decided but not executed, or started and never ended, are found.
 */
import type { AuditRow } from "./audit-chain.ts";

/**
 * - `undecided`: somebody must answer, and nobody has
 * - `approved`: allowed, and its execution never began: it may be executed
 * - `unfinished`: its execution began and has no outcome: it must not be executed again, for nobody knows how far it came
 * - `denied`, `finished`: nothing is left to do
 */
type CallStage = "undecided" | "approved" | "unfinished" | "denied" | "finished";

/** What the audit log records about one call. Hashes are SHA-256. */
export interface AuditedCall {
  readonly session: string;
  readonly call: string;
  readonly stage: CallStage;
  readonly argumentsHash: string | null;
  readonly tool: string | null;
  readonly outcomeHash: string | null;
  /** Of the latest row. */
  readonly timeMs: number;
}

/**
 * The state of each call of an audit log, from its rows in order: after a crash, `open` returns the calls that were decided and not
 * executed, or started without an outcome.
 *
 * @example
 * ```ts
 * const fold = new AuditFold();
 * for (const { row } of rows) fold.feed(row);
 * fold.open(); // calls that are undecided, approved or unfinished
 * ```
 */
export class AuditFold {
  readonly #calls = new Map<string, AuditedCall>();

  feed(row: AuditRow): void {
    const key = `${row.session.length}:${row.session}${row.call}`;
    this.#calls.set(key, foldAuditRow(this.#calls.get(key), row));
  }

  /** Every call of the log; undefined where it has none of that name. */
  find(session: string, call: string): AuditedCall | undefined {
    return this.#calls.get(`${session.length}:${session}${call}`);
  }

  /** Calls for which something is left to do or to be told, in the order in which they were first seen. */
  open(): readonly AuditedCall[] {
    return [...this.#calls.values()].filter(({ stage }) => stage !== "denied" && stage !== "finished");
  }
}

/**
 * What is known of a call after one more row of it.
 *
 * @example
 * ```ts
 * const asked = foldAuditRow(undefined, decisionRow);
 * foldAuditRow(asked, { type: "start", session, call, timeMs, executor: "agent" }).stage; // "unfinished"
 * ```
 */
export function foldAuditRow(known: AuditedCall | undefined, row: AuditRow): AuditedCall {
  const base = known ?? { session: row.session, call: row.call, argumentsHash: null, tool: null, outcomeHash: null };
  return { ...base, ...after(row, known?.stage), timeMs: row.timeMs };
}

type Change = Partial<Omit<AuditedCall, "stage">> & Pick<AuditedCall, "stage">;

/** A call never goes back: what was started stays started, whatever is decided about a repetition of it. */
function after(row: AuditRow, stage: CallStage | undefined): Change {
  switch (row.type) {
    case "decision": {
      const isOver = stage === "unfinished" || stage === "finished";
      const { argumentsHash, tool } = row;
      return isOver ? { stage } : { stage: stageOf(row.effect), argumentsHash, tool };
    }
    case "answer":
      return { stage: stage === "undecided" || stage === undefined ? stageOf(row.effect) : stage };
    case "start":
      return { stage: stage === "finished" ? stage : "unfinished" };
    case "outcome":
      return { stage: "finished", outcomeHash: row.outcomeHash };
    default:
      return { stage: stage ?? "undecided" };
  }
}

const stageOf = (effect: "allow" | "ask" | "deny"): CallStage =>
  effect === "allow" ? "approved" : effect === "deny" ? "denied" : "undecided";
