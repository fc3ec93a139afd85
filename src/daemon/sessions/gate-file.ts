/** What is known of the gate of a session, beside its journal: for the next daemon, and for people after the session has ended. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gateSchema, type SessionGate } from "../../protocol/session.ts";

const GATE_FILE = "gate.json";

/** Throws if the disk does not take it. */
export function writeGateFile(directory: string, gate: SessionGate): void {
  const path = join(directory, GATE_FILE);
  writeFileSync(`${path}.new`, JSON.stringify(gate), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Null for a session without the gateway, or whose file is damaged. */
export function readGateFile(directory: string): SessionGate | null {
  try {
    return gateSchema.parse(JSON.parse(readFileSync(join(directory, GATE_FILE), "utf8")));
  } catch {
    return null;
  }
}
