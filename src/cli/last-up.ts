/**
 * What the last `lectern up` was given: a daemon that a later command starts listens at the same place, and reads the same agent files, so that
 * phones, share links and metrics outlive a killed daemon.
 */
import { writeFileSync } from "node:fs";
import { isNoSpace } from "../core/no-space.ts";
import { readJsonFile } from "../host/json-file.ts";
import type { LecternPaths } from "../daemon/paths.ts";
import type { WantedListening } from "./listening.ts";

export interface LastUp {
  /** With the port that was taken, if the one wanted was in use or any would do. */
  readonly listening: WantedListening;
  /** The port is one after the usual one, which was in use. */
  readonly isNextPort: boolean;
  readonly agentFolders: readonly string[];
}

/** An earlier version has not written `isNextPort`. */
type StoredUp = Omit<LastUp, "isNextPort"> & Partial<LastUp>;
type UpFile = Pick<LecternPaths, "upFile">;

/** Undefined if there was none, or its file cannot be read. */
export function readLastUp({ upFile }: UpFile): LastUp | undefined {
  // Written below.
  const { agentFolders, isNextPort = false, listening } = (readJsonFile(upFile) ?? {}) as Partial<StoredUp>;
  if (!Array.isArray(agentFolders) || !Array.isArray(listening?.names)) return undefined;
  return { agentFolders, isNextPort, listening };
}

/** A full disk prevents no start. */
export function writeLastUp({ upFile }: UpFile, { agentFolders, isNextPort, listening }: LastUp): void {
  try {
    writeFileSync(upFile, `${JSON.stringify({ listening, isNextPort, agentFolders })}\n`, { mode: 0o600 });
  } catch (error) {
    if (!isNoSpace(error)) throw error;
  }
}

const LOOPBACK = /^(?:127(?:\.\d+){3}|::1|localhost)$/;

/**
 * Somebody has stopped the daemon: what only a command line has opened to other machines is not opened again without one. A place on this
 * machine, and one that `lectern.yaml` names, is.
 */
export function closeLastUp(paths: UpFile): void {
  const last = readLastUp(paths);
  const host = last?.listening.host;
  if (last === undefined || host === undefined || LOOPBACK.test(host)) return;
  writeLastUp(paths, { ...last, listening: { ...last.listening, tcp: false } });
}
