/** What is known of the gate of a session, beside its journal: for the next daemon, and for people after the session has ended. */
import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gateSchema, type SessionGate } from "../../protocol/session.ts";
import { readJsonFile } from "../../host/json-file.ts";

const GATE_FILE = "gate.json";

/** Throws if the disk does not take it. */
export function writeGateFile(directory: string, gate: SessionGate): void {
  const path = join(directory, GATE_FILE);
  writeFileSync(`${path}.new`, JSON.stringify(gate), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Null for a session without the gateway, or whose file is damaged. */
export const readGateFile = (directory: string): SessionGate | null =>
  gateSchema.safeParse(readJsonFile(join(directory, GATE_FILE))).data ?? null;
