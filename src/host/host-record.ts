/** A file beside the journal that names its writer, so a daemon finds a host whose socket was removed. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const RECORD_FILE = "host.json";

export interface HostRecord {
  readonly pid: number;
  readonly version: string;
  /** Path of its socket, which the host binds again if it is removed. */
  readonly socket: string;
}

export function writeHostRecord(directory: string, record: HostRecord): void {
  writeFileSync(join(directory, RECORD_FILE), JSON.stringify(record), { mode: 0o600 });
}

/** Undefined if it does not exist or cannot be read. */
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
