/** Which process writes a journal, beside the journal: how a daemon finds a host whose socket is gone. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const RECORD_FILE = "host.json";

export interface HostRecord {
  readonly pid: number;
  readonly version: string;
  /** Where it listens; bound again by the host when it disappears. */
  readonly socket: string;
}

export function writeHostRecord(directory: string, record: HostRecord): void {
  writeFileSync(join(directory, RECORD_FILE), JSON.stringify(record), { mode: 0o600 });
}

/** Undefined where there is none, as with hosts of older versions, or where it cannot be read. */
export function readHostRecord(directory: string): HostRecord | undefined {
  try {
    const record = JSON.parse(readFileSync(join(directory, RECORD_FILE), "utf8")) as Partial<HostRecord> | null;
    const { pid, version, socket } = record ?? {};
    if (typeof pid !== "number" || typeof version !== "string" || typeof socket !== "string") return undefined;
    return { pid, version, socket };
  } catch {
    return undefined;
  }
}
