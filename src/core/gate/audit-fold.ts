/**
 * The state of each call from the rows of the audit log, so that after a crash the calls are found that were decided but not executed,
 * or started and not ended.
 */
import type { AuditRow } from "./audit-chain.ts";

/**
 * - `undecided`: waits for an answer
 * - `approved`: allowed but not started: it may be executed
 * - `unfinished`: started without an outcome: it must not be executed again, because its effects are unknown
 * - `denied`, `finished`: closed
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

  find(session: string, call: string): AuditedCall | undefined {
    return this.#calls.get(`${session.length}:${session}${call}`);
  }

  /** Calls that are neither denied nor finished, in order of appearance. */
  open(): readonly AuditedCall[] {
    return [...this.#calls.values()].filter(({ stage }) => stage !== "denied" && stage !== "finished");
  }
}

/** The state of a call after one more row. */
export function foldAuditRow(known: AuditedCall | undefined, row: AuditRow): AuditedCall {
  const base = known ?? { session: row.session, call: row.call, argumentsHash: null, tool: null, outcomeHash: null };
  return { ...base, ...after(row, known?.stage), timeMs: row.timeMs };
}

type Change = Partial<Omit<AuditedCall, "stage">> & Pick<AuditedCall, "stage">;

/** A call never goes back: once started it stays started, whatever is decided about a repetition. */
function after(row: AuditRow, stage: CallStage | undefined): Change {
  switch (row.type) {
    case "decision": {
      const isOver = stage === "unfinished" || stage === "finished";
      const { argumentsHash, tool } = row;
      const effect = row.enforced === false ? "allow" : row.effect;
      return isOver ? { stage } : { stage: stageOf(effect), argumentsHash, tool };
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
