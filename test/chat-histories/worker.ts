/** A thread that plays ranges of histories, and reports what it found. */
import { parentPort } from "node:worker_threads";
import { play, Violation } from "./check.ts";
import { historyOf } from "./history.ts";

export interface HistoryRange {
  readonly from: number;
  readonly count: number;
}

export interface HistoriesReport {
  readonly histories: number;
  readonly windows: number;
  /** Histories with a difference from the truth that no mark tells of. */
  readonly silent: readonly number[];
  /** Of those in which all rows were shown, so many have a message that is marked. */
  readonly falselyMarked: number;
  /** What broke the law, with its seed. */
  readonly broken: readonly string[];
}

/** Each so many histories are also played with a reader that is saved and restored. */
const RESTORED_EACH = 20;

export function playRange({ from, count }: HistoryRange): HistoriesReport {
  let [windows, falselyMarked] = [0, 0];
  const silent: number[] = [];
  const broken: string[] = [];
  for (let seed = from; seed < from + count; seed += 1) {
    const history = historyOf(seed);
    try {
      const played = play(history);
      windows += history.shots.length;
      if (played.fault !== null) silent.push(seed);
      else if (!history.hasLoss && played.isMarked) falselyMarked += 1;
      if (seed % RESTORED_EACH !== 0) continue;
      const again = play(history, { restores: true });
      if (JSON.stringify(again.messages) !== JSON.stringify(played.messages))
        broken.push(`seed ${seed}: a reader that was restored reads other messages`);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      broken.push(`seed ${seed}: ${error.message}`);
    }
  }
  return { histories: count, windows, silent, falselyMarked, broken };
}

parentPort?.on("message", (range: HistoryRange) => parentPort?.postMessage(playRange(range)));
