/** The other machines of a daemon, whatever leads to them. Nothing runs and nothing is asked before somebody asks for a machine. */
import type { Transport } from "../../client/transport.ts";
import { LecternError } from "../../core/errors.ts";
import type { MachineSource } from "../../machines/machines.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import type { Scope } from "../../protocol/operations.ts";
import { OpenRequests, transportFor } from "./transport-for.ts";

export class Machines {
  readonly #sourcesNow: () => readonly MachineSource[];
  readonly #open = new OpenRequests();

  /** A name that two sources know is of the first. */
  constructor(sources: () => readonly MachineSource[]) {
    this.#sourcesNow = sources;
  }

  get #sources(): readonly MachineSource[] {
    return this.#sourcesNow();
  }

  /** To be awaited before `list` and `transport`, which then know what there is now. */
  async ready(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.ready()));
  }

  list(): MachineInfo[] {
    const rows = new Map<string, MachineInfo>();
    for (const row of this.#sources.flatMap((source) => source.list())) {
      if (!rows.has(row.name)) rows.set(row.name, row);
    }
    return [...rows.values()];
  }

  /** Reaches the daemon of a machine with no more rights than `scope`. Throws `MACHINE_NOT_FOUND`. */
  transport(name: string, scope: Scope): Transport {
    for (const source of this.#sources) {
      const transport = source.transport(name);
      if (transport !== undefined) return transportFor({ name, scope, transport, open: this.#open });
    }
    throw new LecternError(
      "MACHINE_NOT_FOUND",
      `Cannot find machine "${name}": list machines with "lectern hosts ls", add one with "lectern hosts add"`,
      { details: { machine: name } },
    );
  }

  /** Called when a row of `list` has changed. */
  subscribe(listener: () => void): Disposable {
    const subscriptions = new DisposableStack();
    for (const source of this.#sources) subscriptions.use(source.subscribe(listener));
    return subscriptions;
  }
}
