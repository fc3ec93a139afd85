/** Other machines of a test: daemons of this computer, each reached over its unix socket. */
import { unixTransport } from "../../src/client/unix-transport.ts";
import type { Transport } from "../../src/client/transport.ts";
import { LecternError } from "../../src/core/errors.ts";
import type { MachineSource } from "../../src/machines/machines.ts";
import type { MachineInfo } from "../../src/protocol/machines.ts";

export class SocketMachines implements MachineSource {
  readonly #rows = new Map<string, MachineInfo>();
  readonly #transports = new Map<string, Transport>();
  readonly #listeners = new Set<() => void>();

  add(name: string, socketPath: string): void {
    const transport = unixTransport(socketPath);
    this.#transports.set(name, {
      request: (given) => this.#note(name, transport.request(given)),
      openSocket: (given) => this.#note(name, transport.openSocket(given)),
    });
    this.#set({
      name,
      link: "ssh",
      address: `user@${name}`,
      state: "unasked",
      reason: null,
      sinceMs: Date.now(),
      version: null,
    });
  }

  remove(name: string): void {
    this.#rows.delete(name);
    this.#transports.delete(name);
    this.#tell();
  }

  ready(): Promise<void> {
    return Promise.resolve();
  }

  list(): readonly MachineInfo[] {
    return [...this.#rows.values()];
  }

  transport(name: string): Transport | undefined {
    return this.#transports.get(name);
  }

  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  /** As a link does: what comes of a request is the state of the machine. */
  async #note<Answer>(name: string, answer: Promise<Answer>): Promise<Answer> {
    const note = (state: MachineInfo["state"], reason: string | null): void => {
      const row = this.#rows.get(name);
      if (row !== undefined && row.state !== state) this.#set({ ...row, state, reason, sinceMs: Date.now() });
    };
    try {
      const given = await answer;
      note("connected", null);
      return given;
    } catch (error) {
      if (error instanceof LecternError && error.code === "DAEMON_UNREACHABLE") note("away", error.message);
      throw error;
    }
  }

  #set(row: MachineInfo): void {
    this.#rows.set(row.name, row);
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
