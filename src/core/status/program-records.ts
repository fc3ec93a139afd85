/** What a program reports about itself by OSC 7501, as records by id: a report replaces the record of its id; `clear` removes it and what is below it. */
import type { ProgramReport, ProgramStatusChange } from "../observe/program-report.ts";

export interface ProgramRecord extends ProgramReport {
  readonly offset: number;
  readonly timeUs: number;
}

const recordsMax = 256;

export class ProgramRecords {
  #records: readonly ProgramRecord[];

  constructor(records: readonly ProgramRecord[] = []) {
    this.#records = records;
  }

  apply(report: ProgramStatusChange, at: { readonly offset: number; readonly timeUs: number }): void {
    const others = this.#records.filter(
      ({ id }) => id !== report.id && !(report.state === "clear" && isBelow(id, report.id)),
    );
    // The oldest make room: a program that opens records without end keeps the newest.
    this.#records = report.state === "clear" ? others : [...others.slice(-(recordsMax - 1)), { ...report, ...at }];
  }

  /** A prompt of the shell at `offset`, or the end of the program: its activity is over; how it ended stays. */
  dropActivity(offset = Number.POSITIVE_INFINITY): void {
    this.#records = this.#records.filter(
      (record) => record.state === "done" || record.state === "error" || record.offset >= offset,
    );
  }

  clear(): void {
    this.#records = [];
  }

  /**
   * What the program as a whole does: something of it is blocked, else what it reports of itself (its tasks in the background may
   * go on), else what its tasks report. Null without a report.
   */
  get strongest(): ProgramRecord | null {
    const newest = this.#records.toReversed();
    return (
      newest.find(({ state }) => state === "blocked") ??
      newest.find(({ id }) => id === "") ??
      newest.find(({ state }) => state === "working") ??
      newest[0] ??
      null
    );
  }

  save(): readonly ProgramRecord[] {
    return this.#records;
  }
}

const isBelow = (id: string, parent: string): boolean => parent === "" || id.startsWith(`${parent}/`);
