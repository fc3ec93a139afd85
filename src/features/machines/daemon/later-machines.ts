/** A source of machines that is loaded when there is one: a machine on its own loads nothing of it. */
import type { Transport } from "../../../client/transport.ts";
import { waits } from "../../../core/waits.ts";
import type { MachineInfo } from "../../../protocol/machines.ts";
import type { MachineSource } from "../../../machines/machines.ts";

interface LaterOptions {
  /** Cheap: asked with each use, and once a second while somebody listens, until it is true. */
  readonly exists: () => boolean;
  readonly load: () => Promise<MachineSource>;
  readonly onError: (error: unknown) => void;
}

export class LaterMachines implements MachineSource {
  readonly #options: LaterOptions;
  readonly #listeners = new Set<() => void>();
  #source: MachineSource | undefined;
  #loading: Promise<void> | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #subscription: Disposable | undefined;

  constructor(options: LaterOptions) {
    this.#options = options;
  }

  async ready(): Promise<void> {
    if (this.#source === undefined && this.#options.exists()) await (this.#loading ??= this.#load());
    await this.#source?.ready();
  }

  list(): readonly MachineInfo[] {
    return this.#source?.list() ?? [];
  }

  transport(name: string): Transport | undefined {
    return this.#source?.transport(name);
  }

  subscribe(listener: () => void): Disposable {
    this.#listeners.add(listener);
    this.#listen();
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        if (this.#listeners.size === 0) this.#rest();
      },
    };
  }

  async #load(): Promise<void> {
    try {
      this.#source = await this.#options.load();
    } catch (error) {
      // The next use tries again.
      this.#loading = undefined;
      throw error;
    }
    if (this.#listeners.size === 0) return;
    this.#rest();
    this.#listen();
    this.#tell();
  }

  #listen(): void {
    if (this.#source !== undefined) this.#subscription ??= this.#source.subscribe(() => this.#tell());
    else this.#timer ??= setInterval(() => void this.ready().catch(this.#options.onError), waits.activityMs);
  }

  #rest(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#subscription?.[Symbol.dispose]();
    this.#subscription = undefined;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}
