/** What the operations work with. */
import type { KnownAgents } from "../agents/known-agents.ts";
import type { AuditStore } from "../audit/audit-store.ts";
import type { QuestionList } from "../approvals/question-list.ts";
import type { Callers } from "../callers/callers.ts";
import type { ShownSessions } from "../callers/shown-sessions.ts";
import type { WireSessions } from "../gateway/wire-sessions.ts";
import type { DaemonFeatures } from "./daemon-features.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { HostPool } from "../hosts/host-pool.ts";
import type { DaemonMetrics } from "../metrics/daemon-metrics.ts";
import type { Machines } from "../machines/machines.ts";
import type { LecternPaths } from "../paths.ts";
import type { DaemonProblems } from "../problems.ts";
import type { Prompts } from "../acting/prompts.ts";
import type { SessionParts } from "../parts/session-parts.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import type { Screens } from "../views/screens.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { Store } from "../store/store.ts";
import type { Tokens } from "../callers/tokens.ts";
import type { SessionViews } from "../views/session-views.ts";

export interface Daemon {
  readonly paths: LecternPaths;
  readonly version: string;
  readonly config: DaemonConfig;
  readonly startedAt: Date;
  readonly registry: SessionRegistry;
  readonly hosts: HostPool;
  readonly machines: Machines;
  readonly callers: Callers;
  readonly shown: ShownSessions;
  readonly store: Store;
  readonly audit: AuditStore;
  readonly approvals: QuestionList;
  readonly wire: WireSessions;
  readonly sandboxes: Sandboxes;
  readonly parts: SessionParts;
  readonly agents: KnownAgents;
  readonly tokens: Tokens;
  readonly screens: Screens;
  readonly views: SessionViews;
  readonly prompts: Prompts;
  readonly problems: DaemonProblems;
  readonly metrics: DaemonMetrics;
  readonly features: DaemonFeatures;
  /** Where the servers in front listen: they say so when they do. */
  listen: readonly string[];
  /** Asked to end; the process decides when. */
  onStop: () => void;
}
