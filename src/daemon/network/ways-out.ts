/**
 * The ways out of sandboxed sessions, whose programs have no network: a directory for each session with the socket of its gateway and that of
 * the proxy for named hosts. The directory is visible inside, so the sockets that the next daemon binds there are, too.
 */
import { rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:net";
import { join } from "node:path";
import * as z from "zod";
import { unitMs } from "../../core/waits.ts";
import { LecternError } from "../../core/errors.ts";
import { textInFile } from "../../host/json-file.ts";
import { type HostPattern, readHostPattern } from "../../core/network/host-patterns.ts";
import type { WayOut } from "../../core/sandbox/plan.ts";
import type { SandboxNetwork } from "../../core/sandbox/profile.ts";
import { BoundSocket } from "../../host/bound-socket.ts";
import { prepareSocketPath } from "../../host/socket-path.ts";
import type { QuestionList } from "../approvals/question-list.ts";
import type { AuditStore } from "../audit/audit-store.ts";
import type { WireSessions } from "../gateway/wire-sessions.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import { forwarder, requireForwarder } from "./forwarder.ts";
import { greetEach } from "./greeting.ts";
import { HostGate } from "./host-gate.ts";
import { HostProxy } from "./host-proxy.ts";

export interface WaysOutOptions {
  readonly runtimeDirectory: string;
  readonly approvals: QuestionList;
  readonly audit: AuditStore;
  readonly wire: WireSessions;
  readonly onError: (error: unknown) => void;
}

interface Program {
  readonly network: SandboxNetwork;
  /** How long a question about a host waits. Default 10 minutes. */
  readonly approvalMs: number | undefined;
  /** Of the program. */
  readonly environment: Readonly<Record<string, string>>;
}

const SETTINGS_FILE = "network.json";
/** In front of the id of a session. */
const DIRECTORY_PREFIX = "out-";
const GATE_SOCKET = "gate";
const HOSTS_SOCKET = "hosts";
const APPROVAL_MS = 10 * unitMs.m;
/** Of the proxy inside, where nothing else listens; the second one if the gateway has the first. */
const HOSTS_PORTS = [7439, 7440] as const;

const settingsSchema = z.strictObject({
  version: z.literal(1),
  /** Of the gateway inside, for as long as the session runs; null without the gateway. */
  gatePort: z.int().nullable(),
  hosts: z.array(z.string()),
  asks: z.boolean(),
  approvalMs: z.number(),
  /** What a person has allowed. */
  allowed: z.array(z.string()),
});
type Settings = z.output<typeof settingsSchema>;

export class WaysOut implements AsyncDisposable {
  readonly #options: WaysOutOptions;
  readonly #open = new Map<string, DisposableStack>();

  constructor(options: WaysOutOptions) {
    this.#options = options;
  }

  /**
   * Opens the way out of a session before its program starts. Null for a network of nothing.
   * Throws `NOT_AVAILABLE` without Perl, or the system error of a socket.
   */
  async begin(
    entry: SessionEntry,
    { approvalMs = APPROVAL_MS, environment, network }: Program,
  ): Promise<WayOut | null> {
    if (network === "none") return null;
    await requireForwarder();
    const gatePort = (await this.#options.wire.portOf(entry)) ?? null;
    const named = typeof network === "string" ? [network] : network;
    const hosts = named.filter((name) => name !== "gateway" && name !== "ask");
    const settings = { version: 1, gatePort, hosts, asks: named.includes("ask"), approvalMs, allowed: [] } as const;
    writeSettings(entry, { ...settings, hosts: [...hosts], allowed: [] });
    await this.#listen(entry, { ...settings, hosts: [...hosts], allowed: [] });
    const directory = this.#directoryOf(entry.id);
    const hostsPort = gatePort === HOSTS_PORTS[0] ? HOSTS_PORTS[1] : HOSTS_PORTS[0];
    const ports = [
      ...(gatePort === null ? [] : [{ port: gatePort, socket: join(directory, GATE_SOCKET) }]),
      { port: hostsPort, socket: join(directory, HOSTS_SOCKET) },
    ];
    return {
      binds: [directory, ...forwarder.files].map((path) => ({ source: path, target: path })),
      environment: { ...proxyVariables(`http://127.0.0.1:${hostsPort}`), ...forwarder.environment(environment) },
      prefix: forwarder.prefix(ports, environment),
    };
  }

  /** Binds the sockets of a running session again. Nothing for a session without a way out. */
  async resume(entry: SessionEntry): Promise<void> {
    const settings = readSettings(entry);
    if (settings !== undefined) await this.#listen(entry, settings);
  }

  end(session: string): void {
    this.#open.get(session)?.dispose();
    this.#open.delete(session);
    rmSync(this.#directoryOf(session), { recursive: true, force: true });
  }

  /** The directories stay: the next daemon binds its sockets there. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const parts of this.#open.values()) parts.dispose();
    this.#open.clear();
  }

  #directoryOf(session: string): string {
    return join(this.#options.runtimeDirectory, `${DIRECTORY_PREFIX}${session}`);
  }

  async #listen(entry: SessionEntry, settings: Settings): Promise<void> {
    const { onError, wire } = this.#options;
    const directory = this.#directoryOf(entry.id);
    const parts = new DisposableStack();
    this.#open.set(entry.id, parts);
    const bind = async (name: string, makeServer: () => Server): Promise<void> => {
      const path = join(directory, name);
      const makeGreeting = () => greetEach(makeServer());
      const bound = await BoundSocket.bind({
        path,
        makeServer: makeGreeting,
        prepare: prepareSocketPath,
        onProblem: onError,
      });
      parts.defer(() => bound.close());
    };
    const { gatePort } = settings;
    if (gatePort !== null) await bind(GATE_SOCKET, await wire.serverOf(entry));
    const gateway = gatePort === null ? null : { port: gatePort, socket: join(directory, GATE_SOCKET) };
    const proxy = parts.use(new HostProxy({ gate: parts.use(this.#gateOf(entry, settings)), gateway, onError }));
    await bind(HOSTS_SOCKET, () => proxy.makeServer());
  }

  #gateOf(entry: SessionEntry, settings: Settings): HostGate {
    const { approvals, audit, onError } = this.#options;
    return new HostGate({
      session: entry.id,
      agent: entry.stored.agent,
      patterns: settings.hosts.map(patternOf),
      asks: settings.asks,
      approvalMs: settings.approvalMs,
      allowed: settings.allowed,
      onAllowed: (allowed) => writeSettings(entry, { ...settings, allowed: [...allowed] }),
      approvals,
      audit,
      mark: (event) => entry.markIfLive(event, onError),
    });
  }
}

/** Throws `INVALID_INPUT`. */
function patternOf(text: string): HostPattern {
  const pattern = readHostPattern(text);
  if (typeof pattern !== "string") return pattern;
  throw new LecternError("INVALID_INPUT", pattern);
}

/**
 * Both spellings, since programs differ in which one they read. `ALL_PROXY` is HTTP as well: some HTTP libraries end with an error if it
 * names SOCKS and a module for that is missing.
 */
function proxyVariables(url: string): Record<string, string> {
  const except = "localhost,127.0.0.1,::1";
  const both = (name: string, value: string): [string, string][] => [
    [name, value],
    [name.toLowerCase(), value],
  ];
  return {
    ...Object.fromEntries([
      ...["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"].flatMap((name) => both(name, url)),
      ...both("NO_PROXY", except),
    ]),
    npm_config_proxy: url,
    npm_config_https_proxy: url,
    NODE_USE_ENV_PROXY: "1",
  };
}

function writeSettings(entry: SessionEntry, settings: Settings): void {
  writeFileSync(join(entry.directory, SETTINGS_FILE), JSON.stringify(settings), { mode: 0o600 });
}

/** Throws `NOT_AVAILABLE` if the file is damaged. */
function readSettings(entry: SessionEntry): Settings | undefined {
  try {
    const text = textInFile(join(entry.directory, SETTINGS_FILE));
    return text === undefined ? undefined : settingsSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new LecternError(
      "NOT_AVAILABLE",
      `Cannot open the way out of the sandbox of session "${entry.stored.name}": "${SETTINGS_FILE}" is damaged; start the session again`,
      { cause },
    );
  }
}
