/** What is known of the gate of a session, beside its journal: for the next daemon, and for people after the session has ended. */
import { join } from "node:path";
import { gateSchema, type SessionGate } from "../../protocol/session.ts";
import { readJsonFile, replaceFile } from "../../host/json-file.ts";

const GATE_FILE = "gate.json";

/** Throws if the disk does not take it. */
export const writeGateFile = (directory: string, gate: SessionGate): void =>
  replaceFile(join(directory, GATE_FILE), JSON.stringify(gate));

/** Null for a session without the gateway, or whose file is damaged. */
export const readGateFile = (directory: string): SessionGate | null =>
  gateSchema.safeParse(readJsonFile(join(directory, GATE_FILE))).data ?? null;
