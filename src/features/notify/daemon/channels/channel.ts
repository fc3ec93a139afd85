/** One target of notices, as the outbox sees it. */
import type { SendOutcome } from "../../core/pace.ts";
import type { OutgoingNotice } from "../../core/notice.ts";
import type { PrivateTarget } from "../../core/private-target.ts";
import type { SecretText } from "../../core/settings.ts";
import type { ShownQuestion } from "../../../../daemon/store/notify-schema.ts";

export interface Channel {
  /** As rules name it; unique. A channel with several targets has one `Channel` for each, with names such as `push/TARGET`. */
  readonly name: string;
  readonly kind: string;
  /** Where notices go, for `lectern notify ls`: the host, never an address that may be a secret. */
  readonly target: string;
  /** Whether options get answer links. */
  readonly answers: boolean;
  /** Notices are shown by the page itself: addresses are paths of its origin, so no public address is needed. */
  readonly isPage?: true;
  /** Who answers by its links, for people and the record; default: its kind and name. */
  readonly person?: string;
  /**
   * One attempt. Never rejects for what the target does: an unexpected error counts as failed. `signal` ends the attempt; each has its time limit.
   */
  send(notice: OutgoingNotice, signal: AbortSignal): Promise<SendOutcome>;
  /** Takes a question off that it has shown and that has ended. Missing where that is not possible. */
  readonly takeOff?: (shown: ShownQuestion, signal: AbortSignal) => Promise<SendOutcome>;
}

/** What channels work with. */
export interface ChannelContext {
  /** The text of a secret, read when it is used. Throws `NOT_AVAILABLE`. */
  readonly secret: (given: SecretText) => string;
  /** The data directory, where commands run. */
  readonly homeDirectory: string;
  /** What the configuration names. */
  readonly privateTargets: () => readonly PrivateTarget[];
  /** Shows a notice in the terminals of `lectern attach`; the number of terminals. */
  readonly showInTerminals: (notice: OutgoingNotice) => number;
}

/** Targets that users add themselves, outside of the configuration. A rule names all of them by the name of the source. */
export interface ChannelSource {
  /** Those that there are now; their names begin with the name of the source and "/". */
  channels(): readonly Channel[];
  /** The target does not exist any more. */
  forget(name: string, reason: string): Promise<void>;
}
