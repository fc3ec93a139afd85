/**
 * The sessions of the daemon whose agents talk through the gateway: how one begins, and how the next daemon takes it up. What
 * it needs for that stands in `wire.json` beside the journal; of the secret only the hash is kept.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { join } from "node:path";
import * as z from "zod";
import { WIRE_ROUTES } from "../../core/agents/agent-file.ts";
import type { AgentRegistry } from "../../core/agents/registry.ts";
import type { ValueOf } from "../../core/config/sections.ts";
import { LecternError } from "../../core/errors.ts";
import { textInFile } from "../../host/json-file.ts";
import type { SessionEvent } from "../../core/records.ts";
import { DiskView } from "../../disk/file-view.ts";
import type { WireInput } from "../../protocol/session-options.ts";
import { policyLabels } from "../../protocol/wire-call.ts";
import { type Launch, launchFor, refuseUnwatched, refuseWrapped, upstreamsFor } from "./launch.ts";
import { networkProxyOf } from "./network-proxy.ts";
import type { QuestionList } from "../approvals/question-list.ts";
import type { AuditStore } from "../audit/audit-store.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { closeLostCalls } from "./close-lost-calls.ts";
import { GateReports } from "./gate-reports.ts";
import type { Gateway } from "./gateway.ts";
import type { BlobSink } from "../../terminal/blob-sink.ts";
import type { PolicyGate, SessionGates } from "./session-gates.ts";
import type { UpstreamLoad } from "./upstream.ts";
import { freshSecret, secretHashOf } from "./wire-secret.ts";

interface Begun {
  /** The agent that the program is; absent if the program's name shows it. */
  readonly agent?: string | undefined;
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface WireSessionsOptions {
  readonly agents: () => AgentRegistry;
  readonly stateFile: string;
  readonly audit: AuditStore;
  readonly approvals: QuestionList;
  /** Has the arguments that are too long for a question. */
  readonly blobs: BlobSink;
  readonly onError: (error: unknown) => void;
  /** For the requests to each model server. */
  readonly limits: ValueOf<"gateway">;
  /** Called with each request that is not sent to its model server. */
  readonly onRefused: (reason: "busy" | "breaker") => void;
  /** Called with each mark of the gateway for a journal. */
  readonly onMark?: (event: SessionEvent) => void;
  /** What `lectern doctor` reports about the gateway. */
  readonly onProblem: (problem: string) => void;
}

const SETTINGS_FILE = "wire.json";
const FILES_DIRECTORY = "agent";
/** Every call is allowed, and every decision is written down. */
const DEFAULT_POLICY = "version: 1\ndefault: allow\nopaque: allow\n";

const settingsSchema = z.strictObject({
  version: z.literal(1),
  secretHash: z.string(),
  agent: z.string().nullable(),
  home: z.string().nullable(),
  policy: z.string(),
  upstreams: z.record(z.enum(WIRE_ROUTES), z.string()),
  /** May hold a password, as the agent's environment does: the file is for the user only. */
  proxy: z.strictObject({ http: z.string(), https: z.string(), except: z.string() }).nullable().default(null),
  approvalMs: z.number(),
  askOnce: z.boolean().default(true),
  mustGate: z.boolean().default(false),
  isBatch: z.boolean().default(false),
  isUnknown: z.boolean().default(false),
});
type Settings = z.output<typeof settingsSchema>;

export class WireSessions implements AsyncDisposable {
  readonly #options: WireSessionsOptions;
  /** Loaded with the first session: most daemons never have one. */
  #gateway: Promise<Gateway> | undefined;
  /** Once it is loaded. */
  #opened: Gateway | undefined;
  #gates: Promise<SessionGates> | undefined;
  /** Null for a session without the gateway. Read once, so a file that is changed or removed later has no effect on this daemon. */
  readonly #settings = new WeakMap<SessionEntry, Settings | null>();

  constructor(options: WireSessionsOptions) {
    this.#options = options;
  }

  /** Gets a session ready before its program starts. Its directory exists. Throws `INVALID_INPUT` for a policy or an upstream that is none. */
  async begin(entry: SessionEntry, input: WireInput, { agent: given, command, environment }: Begun): Promise<Launch> {
    const known = this.#options.agents();
    const agent = given === undefined ? known.ofProgram(command[0]) : known.named(given);
    // One behind a wrapper has its settings too.
    const within = agent ?? known.named(known.anyOfArguments(command) ?? "");
    refuseUnwatched({ agent: within, environment });
    const { workingDirectory } = entry.stored;
    const named = input.upstreams ?? {};
    const taken =
      within === undefined
        ? undefined
        : (await import("./own-settings.ts")).takeOwnSettings({
            agent: within,
            command,
            environment,
            workingDirectory,
            named,
          });
    const overrides = taken?.overrides ?? false;
    if (agent === undefined && within !== undefined) refuseWrapped(within, overrides);
    const secret = freshSecret();
    const settings: Settings = {
      version: 1,
      secretHash: secretHashOf(secret),
      agent: agent?.name ?? null,
      home: input.home === undefined ? (environment["HOME"] ?? null) : input.home,
      policy: input.policy ?? DEFAULT_POLICY,
      upstreams: upstreamsFor(named, { environment, agent: within, settings: taken?.upstreams }),
      proxy: networkProxyOf(environment),
      approvalMs: input.approvalMs,
      askOnce: input.askOnce,
      mustGate: input.mustGate === true || (input.mustGate === "if-known" && agent?.launch != null),
      isUnknown: agent?.launch == null && !isQuestion(command),
      isBatch: agent !== undefined && known.ofArguments(command) === null && !isQuestion(command),
    };
    const gate = await this.#gateOf(settings);
    writeFileSync(join(entry.directory, SETTINGS_FILE), JSON.stringify(settings), { mode: 0o600 });
    this.#settings.set(entry, settings);
    const directory = this.filesDirectoryOf(entry);
    const gateway = await this.#open();
    const origin = await gateway.origin();
    const launch = launchFor({ agent, command, environment, origin, secret, directory, overrides });
    const files = Object.entries(launch.files);
    if (files.length > 0) mkdirSync(directory, { mode: 0o700 });
    for (const [name, text] of files) writeFileSync(join(directory, name), text, { mode: 0o600 });
    this.#add(gateway, entry, { isResumed: false, settings, gate });
    return launch;
  }

  /** Where the files are that an agent needs to be pointed at the gateway; it need not exist. */
  filesDirectoryOf(entry: SessionEntry): string {
    return join(entry.directory, FILES_DIRECTORY);
  }

  /** Takes up a session that an earlier daemon began; nothing where it never was one of these. */
  async resume(entry: SessionEntry): Promise<void> {
    const settings = this.#loadSettings(entry);
    if (settings === undefined) return;
    const gateway = await this.#open();
    this.#add(gateway, entry, { isResumed: true, settings, gate: await this.#gateOf(settings) });
    await gateway.origin();
  }

  /** The port of the gateway; undefined for a session whose agent does not run through it. */
  async portOf(entry: SessionEntry): Promise<number | undefined> {
    return this.#loadSettings(entry) === undefined ? undefined : await (await this.#open()).port();
  }

  /** Makes servers of the gateway for this session alone. */
  async serverOf(entry: SessionEntry): Promise<() => Server> {
    const gateway = await this.#open();
    return () => gateway.makeServer(entry.id);
  }

  /** What a session was begun with; undefined for one whose agent does not run through the gateway. */
  settingsOf(entry: SessionEntry): Pick<Settings, "policy" | "home"> | undefined {
    return this.#loadSettings(entry);
  }

  /** With what a session was begun if a policy was given for it; undefined if none was. */
  givenPolicyOf(entry: SessionEntry): (Required<WireInput> & { readonly policy: string }) | undefined {
    const settings = this.#loadSettings(entry);
    if (settings === undefined || settings.policy === DEFAULT_POLICY) return undefined;
    const { approvalMs, askOnce, home, policy, upstreams } = settings;
    const mustGate = settings.mustGate ? "if-known" : false;
    return { approvalMs, askOnce, home, mustGate, policy, upstreams };
  }

  /** Closes what the log has as open and an earlier daemon, or sessions that have ended since, can not continue. Before any `resume`. */
  async closeLost(find: (id: string) => SessionEntry | undefined): Promise<void> {
    await closeLostCalls(this.#options.audit, (id) => this.#wired(find(id)), { isStart: true });
  }

  #wired(entry: SessionEntry | undefined): { readonly agent: string | null; readonly isLive: boolean } | undefined {
    if (entry === undefined) return undefined;
    try {
      const settings = this.#loadSettings(entry);
      return settings && { agent: settings.agent, isLive: entry.live };
    } catch {
      // Its damage is reported where it is resumed.
      return undefined;
    }
  }

  /** The session has ended, or did not start: what was passed on and has no result yet gets none any more. */
  async end(entry: SessionEntry): Promise<void> {
    if (this.#gateway === undefined || this.#wired(entry) === undefined) return;
    entry.gateWatch?.[Symbol.dispose]();
    await (await this.#gateway).end(entry.id);
    const sessionOf = (id: string) => (id === entry.id ? this.#wired(entry) : undefined);
    await closeLostCalls(this.#options.audit, sessionOf, { isStart: false });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#gateway)?.[Symbol.asyncDispose]();
  }

  #loadSettings(entry: SessionEntry): Settings | undefined {
    let settings = this.#settings.get(entry);
    if (settings === undefined) {
      settings = readSettings(entry) ?? null;
      this.#settings.set(entry, settings);
    }
    return settings ?? undefined;
  }

  /** Requests to model servers. */
  get upstreamLoad(): UpstreamLoad {
    return this.#opened?.load ?? { active: 0, waiting: 0 };
  }

  #open(): Promise<Gateway> {
    const { limits, onError, onProblem, onRefused, stateFile } = this.#options;
    const { connections: connectionsMax, queue: queueMax, queueTime: queueMsMax } = limits;
    const upstreams = { limits: { connectionsMax, queueMax, queueMsMax }, onRefused };
    this.#gateway ??= import("./gateway.ts").then(({ Gateway }) => {
      const gateway = new Gateway({ stateFile, upstreams, onError, onProblem });
      this.#opened = gateway;
      return gateway;
    });
    return this.#gateway;
  }

  async #gateOf({ policy }: Settings): Promise<PolicyGate> {
    const { audit } = this.#options;
    this.#gates ??= import("./session-gates.ts").then(({ SessionGates }) => new SessionGates(audit));
    return await (await this.#gates).of(policy);
  }

  #add(
    gateway: Gateway,
    entry: SessionEntry,
    {
      gate: { gate, mode, policyHash },
      isResumed,
      settings,
    }: { readonly isResumed: boolean; readonly gate: PolicyGate; readonly settings: Settings },
  ): void {
    const { agents, approvals, audit, blobs, limits, onError, onMark } = this.#options;
    const { agent, approvalMs, askOnce, home, isBatch, isUnknown, mustGate, policy, proxy, secretHash, upstreams } =
      settings;
    const mark = (event: SessionEvent): Promise<number> => {
      onMark?.(event);
      return entry.markIfLive(event, onError);
    };
    const reports = new GateReports({ entry, agent, mustGate, approvals, audit, mark, onError });
    const watch = reports.watch({
      policyHash: policy === DEFAULT_POLICY ? null : policyHash,
      mode,
      endsWithRequest: isBatch || isUnknown,
      mustGate,
    });
    entry.gateWatch = watch;
    gateway.add({
      watch,
      secretHash,
      session: entry.id,
      agent,
      agentRules: () => (agent === null ? undefined : agents().named(agent)),
      // A program that is not known may be any of them.
      textCalls: () => agents().named(agent)?.textCalls ?? agents().agents.flatMap(({ textCalls }) => textCalls),
      isResumed,
      pass: { idle: { firstEventMs: limits.idle, betweenEventsMs: limits.idle } },
      auditHead: () => audit.head,
      isLive: () => entry.live,
      upstreams,
      proxy,
      approvals,
      approvalMs,
      askOnce,
      blobs,
      context: () => ({
        workingDirectory: entry.stored.workingDirectory,
        home,
        labels: policyLabels(entry.stored.labels),
        files: () => new DiskView(),
      }),
      mark,
      gate,
    });
  }
}

/** `claude --version` asks no model. */
const isQuestion = (words: readonly string[]): boolean =>
  /^--(?:version|help)$/.test(words.at(-1) ?? "") || (words.length === 2 && /^-[vVh]$/.test(words[1] ?? ""));

/** Undefined where it was begun without the gateway. Throws `NOT_AVAILABLE`. */
function readSettings(entry: SessionEntry): Settings | undefined {
  try {
    const text = textInFile(join(entry.directory, SETTINGS_FILE));
    return text === undefined ? undefined : settingsSchema.parse(JSON.parse(text));
  } catch (cause) {
    const why = `"${SETTINGS_FILE}" is damaged, so the requests of its agent are refused: start the session again`;
    throw new LecternError("NOT_AVAILABLE", `Cannot use the gateway for session "${entry.stored.name}": ${why}`, {
      cause,
    });
  }
}
