/** What the parts of the daemon need of other machines, whatever leads to them. */
import type { Transport } from "../client/transport.ts";
import type { MachineInfo } from "../protocol/machines.ts";

/** The machines that one kind of link leads to. */
export interface MachineSource {
  /** Resolves when the other methods know what there is now. */
  ready(): Promise<void>;
  /** All of them, without asking any. */
  list(): readonly MachineInfo[];
  /** Undefined for a name that it does not know. The first request connects; it rejects with `MACHINE_AWAY` and the reason. */
  transport(name: string): Transport | undefined;
  /** Called when a row of `list` has changed. */
  subscribe(listener: () => void): Disposable;
}
