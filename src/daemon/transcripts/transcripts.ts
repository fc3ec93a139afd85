/**
 * Follows the records that the agents of sessions keep of their own conversations. Which one is an agent's is learned by `Conversations`; the
 * journal has each entry before any view reads it, so that replays and replicas need no file of the agent.
 */
import { dirname, basename } from "node:path";
import type { ConversationRule } from "../../core/agents/agent.ts";
import { waits } from "../../core/waits.ts";
import type { KnownAgents } from "../agents/known-agents.ts";
import type { DaemonConfig } from "../config/daemon-config.ts";
import type { DaemonProblems } from "../problems.ts";
import { agentPlace, keptFiles, keptRoot, statusFileOf, type AgentPlace } from "../conversations/find-conversation.ts";
import type { Sandboxes } from "../sandbox/sandboxes.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { SessionViews } from "../views/session-views.ts";
import { RecordFollower, type FollowedRecord } from "./record-follower.ts";
import { RECORD_SOURCE, readRecordFact } from "../../core/transcripts/record-fact.ts";
import type { JournalReader } from "../../journal/reader.ts";
import { decodeMark } from "../../protocol/payloads.ts";
import { jsonValueOf } from "../../core/json/json-value.ts";
import type { SourceFact } from "../../core/records.ts";
import { STATUS_SOURCE } from "../../core/status/file-signal.ts";
import { asName, asObject } from "../../core/wire/shape.ts";
import { RecordRefusal, watchBeside, type RecordPlace } from "./record-file.ts";
import { documentLine, WholeRecord } from "./whole-record.ts";

interface StatusPlace extends RecordPlace {
  readonly path: string;
  readonly isOwn: (content: Readonly<Record<string, unknown>>) => boolean;
  readonly append: (fact: Omit<SourceFact, "type">) => Promise<unknown>;
  readonly onError: (error: unknown) => void;
}

const STEP_BYTES = 1024 * 1024;
/** An entry that is further back is not found: then all are appended again, and the host ignores those that it remembers. */
const SEARCHED_BYTES_MAX = 64 * 1024 * 1024;

export interface TranscriptsOptions {
  readonly agents: Pick<KnownAgents, "registry">;
  readonly config: DaemonConfig;
  readonly problems: DaemonProblems;
  readonly registry: SessionRegistry;
  readonly sandboxes: Pick<Sandboxes, "allowsTranscripts">;
  readonly views: SessionViews;
  readonly onError: (error: unknown) => void;
}

/** What is followed of one session. */
interface Followed {
  readonly status: StatusFile | undefined;
  readonly record: RecordFollower | undefined;
}

export class Transcripts implements AsyncDisposable {
  readonly #options: TranscriptsOptions;
  readonly #followed = new Map<SessionEntry, Followed>();
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
    await Promise.all([...this.#followed.keys()].map(async (entry) => await this.#leave(entry)));
  }

  #check(): void {
    for (const [entry, { record, status }] of this.#followed) {
      if (!entry.live) this.#leave(entry).catch(this.#options.onError);
      else {
        status?.check();
        record?.check();
      }
    }
  }

  #follow(entry: SessionEntry): void {
    const { agents, config, onError, sandboxes } = this.#options;
    const { conversation } = entry.stored;
    const rule = agents.registry.named(conversation?.agent ?? null)?.conversation ?? null;
    const mayRead = entry.live && config.get("transcripts").follow && sandboxes.allowsTranscripts(entry);
    const place = mayRead && rule !== null ? agentPlace(leaderOf(entry)) : undefined;
    const known = this.#followed.get(entry)?.record;
    const isSame = place !== undefined && known?.conversation === conversation?.id;
    this.#leave(entry, isSame ? known : undefined).catch(onError);
    if (place === undefined || rule === null) return;
    const record = isSame ? known : this.#recordOf(entry, rule, place);
    this.#followed.set(entry, { record, status: this.#statusOf(entry, rule, place) });
    record?.check({ mayContinue: true });
  }

  #statusOf(entry: SessionEntry, rule: ConversationRule, { prefix, userId }: AgentPlace): StatusFile | undefined {
    const found = statusFileOf(rule, leaderOf(entry));
    if (found === undefined || userId === undefined) return undefined;
    const where = { root: dirname(found.path), isBoxed: prefix !== "", userId };
    return new StatusFile({ ...found, ...where, append: appender(entry), onError: this.#options.onError });
  }

  /** Undefined if there is no record yet. */
  #recordOf(entry: SessionEntry, rule: ConversationRule, place: AgentPlace): RecordFollower | undefined {
    const { problems, onError } = this.#options;
    const { conversation } = entry.stored;
    const { prefix, userId } = place;
    const root = keptRoot(rule, place);
    if (conversation?.file == null || rule.record === undefined || userId === undefined || root === undefined)
      return undefined;
    const subject = subjectOf(entry);
    return new RecordFollower({
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
    });
  }

  /** But for its record, if that is `kept`. */
  async #leave(entry: SessionEntry, kept?: RecordFollower): Promise<void> {
    const { record, status } = this.#followed.get(entry) ?? {};
    this.#followed.delete(entry);
    status?.[Symbol.dispose]();
    if (record === undefined || record === kept) return;
    await record[Symbol.asyncDispose]();
    if (this.#followed.get(entry)?.record === undefined) this.#options.problems.set(subjectOf(entry), null);
  }
}

const leaderOf = ({ leaderPid, stored }: SessionEntry): number => leaderPid ?? stored.pid ?? 0;

const appender =
  (entry: SessionEntry): FollowedRecord["append"] =>
  async (fact) => {
    if (entry.live) await entry.fact(fact);
  };

const subjectOf = ({ id }: SessionEntry): string => `record of session "${id}"`;

/** Id of the last entry of the conversation that was appended; null if there is none. */
export async function lastEntryIn(reader: JournalReader, conversation: string): Promise<string | null> {
  const first = Math.max(reader.start, reader.end - SEARCHED_BYTES_MAX);
  for (let end = reader.end; end > first; end -= STEP_BYTES) {
    let last: string | null = null;
    for (let at = Math.max(first, end - STEP_BYTES); at < end;) {
      const { next, records } = await reader.read(at);
      for (const { payload, type } of records) if (type === "mark") last = entryIn(payload, conversation) ?? last;
      if (next <= at) break;
      at = next;
    }
    if (last !== null) return last;
  }
  return null;
}

function entryIn(payload: Uint8Array, conversation: string): string | null {
  const mark = decodeMark(payload);
  if (mark.type !== "fact" || mark.source !== RECORD_SOURCE) return null;
  const fact = readRecordFact(mark.payload);
  return fact?.conversation === conversation && "entry" in fact ? mark.id : null;
}

/** The file in which an agent says what it does now, such as Claude Code's `sessions/PID.json`: each change is a fact of the journal. */
export class StatusFile implements Disposable {
  readonly #place: StatusPlace;
  /** It is written without being emptied first, and then cut. */
  readonly #document: WholeRecord;
  readonly #watcher: Disposable | undefined;
  #last = "";

  constructor(place: StatusPlace) {
    this.#place = place;
    this.#document = new WholeRecord(place.path, place, documentLine);
    const name = basename(place.path);
    // Beside it are keys, which are never opened.
    this.#watcher = watchBeside(place.path, (file) => {
      if (file === name) this.check();
    });
    this.check();
  }

  check(): void {
    const content = this.#changed();
    // A name that is not there is not in the JSON of a fact.
    const payload = { status: asName(content?.["status"]), waitingFor: asName(content?.["waitingFor"]) };
    const text = JSON.stringify(payload);
    if (content === undefined || payload.status === undefined || text === this.#last) return;
    if (!this.#place.isOwn(content)) return;
    this.#last = text;
    const id = `${this.#document.writtenMs} ${payload.status}`;
    this.#place.append({ source: STATUS_SOURCE, id, payload }).catch(this.#place.onError);
  }

  [Symbol.dispose](): void {
    this.#watcher?.[Symbol.dispose]();
  }

  #changed(): Readonly<Record<string, unknown>> | undefined {
    try {
      return asObject(jsonValueOf(Buffer.from(this.#document.next()).toString()));
    } catch (error) {
      // It is gone with its agent, or something else is in its place.
      if (error instanceof RecordRefusal) return undefined;
      throw error;
    }
  }
}
