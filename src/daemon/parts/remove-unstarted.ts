/** Starts that failed, or whose daemon was killed: nothing is left of them. */
import { rm } from "node:fs/promises";
import { waits } from "../../core/waits.ts";
import { endLeftovers } from "../../host/tagged-processes.ts";
import type { LecternPaths } from "../paths.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { SessionParts } from "./session-parts.ts";

export interface UnstartedOwners {
  readonly parts: SessionParts;
  readonly paths: LecternPaths;
  readonly registry: SessionRegistry;
}

/**
 * Ends what the start has begun, and removes the session. As long as a part has not ended, the session stays in the state `starting`, because
 * its directory has what that part needs to end.
 */
export async function removeUnstarted(owners: UnstartedOwners, entry: SessionEntry): Promise<void> {
  const { parts, paths, registry } = owners;
  // A git of a killed daemon goes on.
  await endLeftovers(entry.id, paths, waits.graceMs);
  const { unfinished } = await parts.end(entry);
  if (unfinished.length > 0) {
    entry.unreachable = "its start has failed and is not undone yet";
    Promise.all(unfinished).then(
      () => removeUnstarted(owners, entry),
      () => undefined,
    );
    return;
  }
  // The row is last: without one, nobody would look for the rest.
  await rm(entry.directory, { recursive: true, force: true });
  await registry.remove(entry.id);
}
