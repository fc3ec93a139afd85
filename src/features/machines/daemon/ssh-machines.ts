/** The machines of the hosts file, for the daemon: rows, and a transport to each that connects when it is used. */
import { statSync } from "node:fs";
import type { Transport } from "../../../client/transport.ts";
import { LecternError } from "../../../core/errors.ts";
import { waits } from "../../../core/waits.ts";
import type { MachineInfo } from "../../../protocol/machines.ts";
import { readHosts, type SshHost } from "../../../machines/hosts-file.ts";
import type { MachineSource } from "../../../machines/machines.ts";
import { SshLink } from "../../../machines/ssh-link.ts";
import { sshTransport } from "../../../machines/ssh-transport.ts";

export interface SshMachinesOptions {
  readonly hostsFile: string;
  /** For the sockets of connections. */
  readonly directory: string;
  /** Called once for each state of a hosts file that cannot be read; the hosts before it stay. */
  readonly onProblem: (error: LecternError) => void;
}

type State = Pick<MachineInfo, "state" | "reason" | "version">;

interface Machine {
  readonly host: SshHost;
  readonly transport: Transport;
  readonly row: MachineInfo;
}

const unasked: State = { state: "unasked", reason: null, version: null };

/** Nobody is at a terminal of the daemon: a host that asks for something is away until a person has connected with `lectern hosts check`. */
export class SshMachines implements MachineSource {
  readonly #options: SshMachinesOptions;
  readonly #listeners = new Set<() => void>();
  #machines = new Map<string, Machine>();
  /** Of the file that was read last; undefined before the first time. */
  #fileState: string | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(options: SshMachinesOptions) {
    this.#options = options;
  }

  /** The file is read with each use. */
  ready(): Promise<void> {
    return Promise.resolve();
  }

  list(): readonly MachineInfo[] {
    this.#read();
    return [...this.#machines.values()].map(({ row }) => row);
  }

  transport(name: string): Transport | undefined {
    this.#read();
    return this.#machines.get(name)?.transport;
  }

  /** While somebody listens, the file is looked at once a second. */
  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    this.#timer ??= setInterval(() => this.#read(), waits.activityMs);
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size > 0) return;
        clearInterval(this.#timer);
        this.#timer = undefined;
      },
    };
  }

  #read(): void {
    const state = stateOfFile(this.#options.hostsFile);
    if (state === this.#fileState) return;
    this.#fileState = state;
    try {
      const hosts = readHosts(this.#options.hostsFile);
      this.#machines = new Map(hosts.map((host) => [host.name, this.#kept(host) ?? this.#made(host)]));
      this.#tell();
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      this.#options.onProblem(error);
    }
  }

  /** A host that was not changed keeps its state. */
  #kept(host: SshHost): Machine | undefined {
    const machine = this.#machines.get(host.name);
    return machine !== undefined && JSON.stringify(machine.host) === JSON.stringify(host) ? machine : undefined;
  }

  #made(host: SshHost): Machine {
    const link = new SshLink(host, this.#options.directory);
    const over = sshTransport(link);
    const transport: Transport = {
      request: (given) => this.#watched(host, link, () => over.request(given)),
      openSocket: (given) => this.#watched(host, link, () => over.openSocket(given)),
    };
    return { host, transport, row: rowOf(host, unasked) };
  }

  /** What comes of a use is what is known of the machine. */
  async #watched<Result>(host: SshHost, link: SshLink, use: () => Promise<Result>): Promise<Result> {
    const before = this.#machines.get(host.name)?.row;
    if (before?.state !== "connected") this.#set(host, { ...unasked, state: "connecting" });
    try {
      if (before?.state !== "connected") {
        const { version } = await link.connect();
        this.#set(host, { state: "connected", reason: null, version });
      }
      return await use();
    } catch (error) {
      const isAway =
        error instanceof LecternError && (error.code === "MACHINE_AWAY" || error.code === "VERSION_MISMATCH");
      if (isAway) this.#set(host, { state: "away", reason: reasonOf(error), version: before?.version ?? null });
      throw error;
    }
  }

  #set(host: SshHost, state: State): void {
    const machine = this.#machines.get(host.name);
    // It was removed or changed meanwhile.
    if (machine?.host !== host) return;
    const { row } = machine;
    if (row.state === state.state && row.reason === state.reason && row.version === state.version) return;
    // A machine that is tried again and again is away, and not connecting each time.
    if (row.state === "away" && state.state === "connecting") return;
    const { sinceMs } = row;
    const next = rowOf(host, state);
    this.#machines.set(host.name, { ...machine, row: row.state === state.state ? { ...next, sinceMs } : next });
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

const reasonOf = ({ details, message }: LecternError): string =>
  typeof details["reason"] === "string" ? details["reason"] : message;

const rowOf = ({ destination, name }: SshHost, state: State): MachineInfo => ({
  name,
  link: "ssh",
  address: destination,
  sinceMs: Date.now(),
  ...state,
});

/** Changes with each replacement of the file. */
function stateOfFile(path: string): string {
  try {
    const { ino, mtimeMs, size } = statSync(path);
    return `${ino} ${mtimeMs} ${size}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "unreadable";
  }
}
