/** The machines that are away, for rules that report it. Machines are only followed, and so connected, while there is one. */
import { MachineWatch } from "../core/machine-watch.ts";
import type { MachineInfo } from "../../../protocol/machines.ts";
import { watchMachines } from "../../../daemon/machines/watch-machines.ts";
import { machineHappening, type Happening } from "./facts.ts";
import type { NotifyStore } from "./notify-store.ts";
import type { NotifyParts } from "./notify.ts";

interface MachineNoticesOptions extends Pick<NotifyParts, "machines" | "onError"> {
  readonly store: Pick<NotifyStore, "putOutages">;
  readonly onChange: () => void;
}

export class MachineNotices implements Disposable {
  readonly #options: MachineNoticesOptions;
  readonly #watch: MachineWatch;
  readonly #rows = new Map<string, MachineInfo>();
  /** Names of those whose outage is not on disk as it is now. */
  readonly #changed = new Set<string>();
  #isWanted = false;
  #following: Disposable | undefined;

  constructor(options: MachineNoticesOptions, outages: readonly (readonly [machine: string, sinceMs: number])[]) {
    this.#options = options;
    this.#watch = new MachineWatch(outages);
  }

  /** Begins or ends to follow them. */
  watch(isWanted: boolean): void {
    this.#isWanted = isWanted;
    if (isWanted) void this.#begin().catch(this.#options.onError);
    else this.#end();
  }

  happenings(): readonly Happening[] {
    return [...this.#rows.values()].flatMap((machine) => {
      const sinceMs = machine.state === "away" ? this.#watch.awaySinceMs(machine.name) : null;
      return sinceMs === null ? [] : [machineHappening(machine, sinceMs)];
    });
  }

  /** To be awaited before a notice is made: the next daemon must know the outage that it is about. */
  async flush(): Promise<void> {
    if (this.#changed.size === 0) return;
    const changed = [...this.#changed].map((name) => [name, this.#watch.awaySinceMs(name)] as const);
    this.#changed.clear();
    await this.#options.store.putOutages(changed);
  }

  [Symbol.dispose](): void {
    this.watch(false);
  }

  async #begin(): Promise<void> {
    const { machines } = this.#options;
    await machines.ready();
    if (!this.#isWanted || this.#following !== undefined) return;
    this.#following = watchMachines(machines, {
      kinds: [],
      add: (update) => {
        if (update.kind === "machine") this.#learn(update.machine, update.view);
      },
    });
  }

  #end(): void {
    this.#following?.[Symbol.dispose]();
    this.#following = undefined;
    this.#rows.clear();
  }

  #learn(name: string, row: MachineInfo | null): void {
    if (row === null) this.#rows.delete(name);
    else this.#rows.set(name, row);
    if (row === null ? this.#watch.forget(name) : this.#watch.feed(row)) this.#changed.add(name);
    this.#options.onChange();
  }
}
