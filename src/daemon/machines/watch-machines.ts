/** The other machines for a reader that shows their sessions: the state of each, and what each tells. */
import type { ChangeKind } from "../../core/views/change.ts";
import type { MachineInfo } from "../../protocol/machines.ts";
import type { DaemonUpdate } from "../../protocol/views.ts";
import type { Machines } from "./machines.ts";

export interface MachineReader {
  readonly kinds: readonly ChangeKind[];
  readonly add: (update: DaemonUpdate) => void;
}

/** Follows each machine until it is disposed of; machines come and go. */
export function watchMachines(machines: Machines, reader: MachineReader): Disposable {
  const watched = new Map<string, WatchedMachine>();
  const look = (): void => {
    const rows = new Map(machines.list().map((row) => [row.name, row]));
    for (const [name, machine] of watched) {
      if (rows.has(name)) continue;
      machine[Symbol.dispose]();
      watched.delete(name);
      reader.add({ kind: "machine", machine: name, view: null });
    }
    for (const [name, row] of rows) {
      const known = watched.get(name);
      if (known === undefined) watched.set(name, new WatchedMachine(row, { machines, reader }));
      else known.learn(row);
    }
  };
  const subscription = machines.subscribe(look);
  look();
  return {
    [Symbol.dispose]: () => {
      subscription[Symbol.dispose]();
      for (const machine of watched.values()) machine[Symbol.dispose]();
    },
  };
}

class WatchedMachine implements Disposable {
  readonly #reader: MachineReader;
  readonly #over = new AbortController();
  #row: MachineInfo;
  /** Since when and why its updates do not arrive, which its link may not know; undefined while they do. */
  #failure: Pick<MachineInfo, "reason" | "sinceMs"> | undefined;
  #told: string | undefined;
  /** Ends the pause before the next attempt. */
  #tryNow: (() => void) | undefined;

  constructor(row: MachineInfo, { machines, reader }: { readonly machines: Machines; readonly reader: MachineReader }) {
    this.#row = row;
    this.#reader = reader;
    this.#tell();
    void this.#follow(machines);
  }

  learn(row: MachineInfo): void {
    const isBack = row.state === "connected" && this.#row.state !== "connected";
    this.#row = row;
    this.#tell();
    if (isBack) this.#tryNow?.();
  }

  [Symbol.dispose](): void {
    this.#over.abort();
  }

  async #follow(machines: Machines): Promise<void> {
    // Loaded with the first machine: most daemons have none.
    const { followMachine } = await import("./follow-machine.ts");
    const { kinds, add } = this.#reader;
    const { name } = this.#row;
    await followMachine({
      machines,
      name,
      kinds,
      signal: this.#over.signal,
      onUpdate: (update) => {
        if (update.kind === "list") this.#learnFailure(undefined);
        add(update);
      },
      onFailure: (reason, tryNow) => {
        this.#tryNow = tryNow;
        this.#learnFailure(reason);
      },
    });
  }

  #learnFailure(reason: string | undefined): void {
    this.#failure = reason === undefined ? undefined : { reason, sinceMs: this.#failure?.sinceMs ?? Date.now() };
    this.#tell();
  }

  #tell(): void {
    if (this.#over.signal.aborted) return;
    const isAway = this.#failure !== undefined && this.#row.state !== "away";
    const view: MachineInfo = isAway ? { ...this.#row, ...this.#failure, state: "away" } : this.#row;
    const text = JSON.stringify(view);
    if (text === this.#told) return;
    this.#told = text;
    this.#reader.add({ kind: "machine", machine: view.name, view });
  }
}
