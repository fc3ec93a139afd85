/**
 * What an optional feature is to the daemon, which knows this contract and no feature. Whoever starts a daemon hands it their list
 * (`src/features/features.ts`).
 */
import type { MachineSource } from "../../machines/machines.ts";
import type { MetricSet } from "../../core/metrics/metric-set.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import type { Daemon } from "./context.ts";
import type { PartOwners } from "../parts/part-list.ts";
import type { SessionPart } from "../parts/session-part.ts";
import type { AnswerPage, Handlers, NoticeSource } from "../service.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { DaemonTimes } from "../times.ts";

export interface DaemonFeature {
  readonly name: string;
  /** Begin before the daemon's own parts of a session, in the order of the list. */
  readonly sessionParts?: (owners: PartOwners) => readonly SessionPart[];
  /** The parts of the daemon are open, and nothing runs yet. What is seldom used is loaded at its first use. */
  readonly open?: (daemon: FeatureDaemon) => OpenFeature | Promise<OpenFeature>;
}

export interface FeatureDaemon extends Daemon {
  readonly times: DaemonTimes;
  /** Of the process. Empty for copies of sessions of a machine that is away. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** All of this daemon, for one that serves copies of sessions. */
  readonly list: readonly DaemonFeature[];
  readonly onError: (error: unknown) => void;
}

export interface OpenFeature {
  /** Of its operations. */
  readonly handlers?: Partial<Handlers>;
  /** Leads to other machines. */
  readonly machines?: MachineSource;
  /** Formats of `sessions.export` beside those of the journal. */
  readonly exports?: Partial<Record<ExportFormat, Exporter>>;
  /** Notices for terminals that are attached. */
  readonly terminals?: NoticeSource;
  /** Sessions are registered and followed. The daemon's start waits for it. */
  start?(): Promise<void> | void;
  created?(entry: SessionEntry): void;
  /** The metrics are about to be read. */
  collect?(metrics: MetricSet): void;
  /** What a one-time link shows, and with `use` does. */
  answerLink?(token: string, use: boolean): Promise<AnswerPage>;
  close?(): Promise<void> | void;
}

export type ExportFormat = ParsedInputOf<"sessions.export">["format"];
type Exporter = (
  entry: SessionEntry,
  options: { readonly content: boolean; readonly signal: AbortSignal },
) => AsyncIterable<string>;

/** The features of one daemon, in the order of their list. Closed in reverse. */
export class DaemonFeatures implements AsyncDisposable {
  readonly #open: OpenFeature[] = [];

  async open(daemon: FeatureDaemon): Promise<void> {
    for (const { open } of daemon.list) {
      const opened = await open?.(daemon);
      if (opened !== undefined) this.#open.push(opened);
    }
  }

  get handlers(): Partial<Handlers> {
    return Object.assign({}, ...this.#open.map(({ handlers }) => handlers)) as Partial<Handlers>;
  }

  get machines(): readonly MachineSource[] {
    return this.#open.flatMap(({ machines }) => machines ?? []);
  }

  get terminals(): NoticeSource | undefined {
    return this.#open.find(({ terminals }) => terminals !== undefined)?.terminals;
  }

  exporter(format: ExportFormat): Exporter | undefined {
    return this.#open.find(({ exports }) => exports?.[format] !== undefined)?.exports?.[format];
  }

  async start(): Promise<void> {
    for (const feature of this.#open) await feature.start?.();
  }

  created(entry: SessionEntry): void {
    for (const feature of this.#open) feature.created?.(entry);
  }

  collect(metrics: MetricSet): void {
    for (const feature of this.#open) feature.collect?.(metrics);
  }

  async answerLink(token: string, use: boolean): Promise<AnswerPage> {
    const feature = this.#open.find((each) => each.answerLink !== undefined);
    return (await feature?.answerLink?.(token, use)) ?? { type: "end", status: 404, text: "This link is unknown" };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const feature of this.#open.splice(0).toReversed()) await feature.close?.();
  }
}
