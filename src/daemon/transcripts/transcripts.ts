/**
 * Follows the records that the agents of sessions keep of their own conversations. Which one is an agent's is learned by `Conversations`; the
 * journal has each entry before any view reads it, so that replays and replicas need no file of the agent.
 */
import { dirname } from "node:path";
import { waits } from "../../core/waits.ts";
import type { KnownAgents } from "../agents/known-agents.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DaemonProblems } from "../problems.ts";
import { agentPlace, keptFiles, keptRoot, statusFileOf } from "../resume/find-conversation.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { SessionViews } from "../views/session-views.ts";
import { lastEntryIn } from "./last-entry.ts";
import { RecordFollower, type FollowedRecord } from "./record-follower.ts";
import { StatusFile } from "./status-file.ts";

export interface TranscriptsOptions {
  readonly agents: Pick<KnownAgents, "registry">;
  readonly config: DaemonConfig;
  readonly problems: DaemonProblems;
  readonly registry: SessionRegistry;
  readonly sandboxes: Pick<Sandboxes, "allowsTranscripts">;
  readonly views: SessionViews;
  readonly onError: (error: unknown) => void;
}

export class Transcripts implements AsyncDisposable {
  readonly #options: TranscriptsOptions;
  readonly #followers = new Map<SessionEntry, RecordFollower>();
  readonly #statusFiles = new Map<SessionEntry, StatusFile>();
  readonly #parts = new DisposableStack();

  constructor(options: TranscriptsOptions) {
    this.#options = options;
    const { config, views } = options;
    this.#parts.use(
      views.subscribe((entry, changes) => {
        if (changes.some(({ kind }) => kind === "conversation")) this.#follow(entry);
      }),
    );
    this.#parts.use(config.onChange("transcripts", () => this.begin()));
    this.#parts.adopt(setInterval(() => this.#check(), waits.activityMs).unref(), clearInterval);
  }

  /** Follows the sessions that run: a daemon before this one may have done so, up to any entry. */
  begin(): void {
    for (const entry of this.#options.registry.all) this.#follow(entry);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#parts.dispose();
    for (const entry of this.#statusFiles.keys()) this.#forgetStatus(entry);
    await Promise.all([...this.#followers.keys()].map(async (entry) => await this.#leave(entry)));
  }

  #check(): void {
    for (const [entry, file] of this.#statusFiles) {
      if (entry.live) file.check();
      else this.#forgetStatus(entry);
    }
    for (const [entry, follower] of this.#followers) {
      if (entry.live) follower.check();
      else this.#leave(entry).catch(this.#options.onError);
    }
  }

  #follow(entry: SessionEntry): void {
    this.#followStatus(entry);
    const record = this.#recordOf(entry);
    const known = this.#followers.get(entry);
    if (record !== null && known?.conversation === record.conversation) return known.check({ mayContinue: true });
    this.#leave(entry).catch(this.#options.onError);
    if (record === null) return;
    const follower = new RecordFollower(record);
    this.#followers.set(entry, follower);
    follower.check();
  }

  #followStatus(entry: SessionEntry): void {
    const { agents, onError } = this.#options;
    this.#forgetStatus(entry);
    const rule = agents.registry.named(entry.stored.conversation?.agent ?? null)?.conversation;
    if (rule == null || !this.#mayRead(entry)) return;
    const found = statusFileOf(rule, leaderOf(entry));
    const place = agentPlace(leaderOf(entry));
    if (found === undefined || place?.userId === undefined) return;
    const { prefix, userId } = place;
    const where = { root: dirname(found.path), isBoxed: prefix !== "", userId };
    this.#statusFiles.set(entry, new StatusFile({ ...found, ...where, append: appender(entry), onError }));
  }

  #mayRead(entry: SessionEntry): boolean {
    const { config, sandboxes } = this.#options;
    return entry.live && config.get("transcripts").follow && sandboxes.allowsTranscripts(entry);
  }

  #forgetStatus(entry: SessionEntry): void {
    this.#statusFiles.get(entry)?.[Symbol.dispose]();
    this.#statusFiles.delete(entry);
  }

  /** Null if there is no record, or if nobody may follow it. */
  #recordOf(entry: SessionEntry): FollowedRecord | null {
    const { agents, problems, onError } = this.#options;
    const { conversation } = entry.stored;
    if (conversation?.file == null || !this.#mayRead(entry)) return null;
    const rule = agents.registry.named(conversation.agent)?.conversation;
    const place = agentPlace(leaderOf(entry));
    if (rule?.record === undefined || place?.userId === undefined) return null;
    const root = keptRoot(rule, place);
    if (root === undefined) return null;
    const { prefix, userId } = place;
    const subject = subjectOf(entry);
    return {
      paths: () => (keptFiles(rule, conversation.id, place) ?? []).map((path) => prefix + path),
      root: prefix + root,
      isBoxed: prefix !== "",
      userId,
      format: rule.record,
      agent: conversation.agent,
      conversation: conversation.id,
      startedMs: Date.parse(entry.stored.createdAt),
      append: appender(entry),
      lastAppended: async () => await lastEntryIn((await entry.feed()).reader, conversation.id),
      onProblem: (reason) =>
        problems.set(
          subject,
          reason && `The ${subject} is not followed: ${reason} ("${root}"); its messages are read from the screen`,
        ),
      onError,
    };
  }

  async #leave(entry: SessionEntry): Promise<void> {
    const follower = this.#followers.get(entry);
    this.#followers.delete(entry);
    await follower?.[Symbol.asyncDispose]();
    if (!this.#followers.has(entry)) this.#options.problems.set(subjectOf(entry), null);
  }
}

const leaderOf = ({ leaderPid, stored }: SessionEntry): number => leaderPid ?? stored.pid ?? 0;

const appender =
  (entry: SessionEntry): FollowedRecord["append"] =>
  async (fact) => {
    if (entry.live) await entry.fact(fact);
  };

const subjectOf = ({ id }: SessionEntry): string => `record of session "${id}"`;
