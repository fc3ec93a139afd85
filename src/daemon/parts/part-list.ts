/** The parts of a session, in the order in which they begin: a part sees what those before it have added to the launch. */
import type { KnownAgents } from "../agents/known-agents.ts";
import type { WireSessions } from "../gateway/wire-sessions.ts";
import type { WaysOut } from "../network/ways-out.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import { eventSchemasPart } from "./event-schemas-part.ts";
import { filesPart } from "./files-part.ts";
import { sandboxPart } from "./sandbox-part.ts";
import type { SessionPart } from "./session-part.ts";
import { shellMarksPart } from "./shell-marks-part.ts";
import { traceParentPart } from "./trace-parent-part.ts";
import { waysOutPart } from "./ways-out-part.ts";
import { wirePart } from "./wire-part.ts";
import { worktreePart } from "./worktree-part.ts";

export interface PartOwners {
  readonly agents: KnownAgents;
  readonly registry: SessionRegistry;
  readonly sandboxes: Sandboxes;
  readonly waysOut: WaysOut;
  readonly wire: WireSessions;
}

export const sessionPartsOf = ({ agents, registry, sandboxes, waysOut, wire }: PartOwners): readonly SessionPart[] => [
  worktreePart(registry),
  traceParentPart,
  eventSchemasPart,
  wirePart(wire),
  shellMarksPart,
  filesPart,
  sandboxPart(sandboxes, agents),
  waysOutPart(waysOut),
];
