/** A file beside the journal that names its writer, so a daemon finds a host whose socket was removed. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { readJsonFile } from "./json-file.ts";

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
  const { pid, version, socket } = (readJsonFile(join(directory, RECORD_FILE)) ?? {}) as Partial<HostRecord>;
  if (typeof pid !== "number" || typeof version !== "string" || typeof socket !== "string") return undefined;
  return { pid, version, socket };
}
