/**
 * An optional feature of the product: one folder with one record, and one line in `features.ts`. If it has operations of its own, they are a
 * line in `operations.ts`. Outside of this folder only lists name a feature.
 */
import type { CommandGroupName, CommandLoaders } from "../cli/command.ts";
import type { DaemonFeature } from "../daemon/operations/daemon-features.ts";

export interface Feature extends DaemonFeature {
  /** Commands by the group of the help in which they are listed last. */
  readonly commands?: Readonly<Partial<Record<CommandGroupName, CommandLoaders>>>;
}
