/** What the configuration has about notices, with its defaults. */
import { anySession, type NotifyRule, type SessionFilter } from "./rules.ts";
import type { PrivateTarget } from "./private-target.ts";
import { NOTICE_KINDS, type NoticeContent, type NoticeKind } from "./notice.ts";

/** A secret, or where it is: in a file, or in an environment variable of the daemon. */
export type SecretText = string | { readonly file: string } | { readonly env: string };

export type ChannelSettings =
  | {
      readonly kind: "webhook";
      readonly url: string;
      /** `whsec_...`; without one, requests are not signed. */
      readonly secret?: SecretText;
      /** Options have answer links. */
      readonly answers: boolean;
    }
  | {
      readonly kind: "ntfy";
      /** Of the topic. */
      readonly url: string;
      readonly token?: SecretText;
      readonly answers: boolean;
    }
  | { readonly kind: "slack" | "discord"; readonly url: SecretText }
  | { readonly kind: "desktop"; readonly terminals: boolean }
  | {
      readonly kind: "command";
      readonly command: readonly string[];
      readonly timeoutMs: number;
      readonly answers: boolean;
      /** Default: the data directory. */
      readonly workingDirectory?: string;
    };

export interface NotifySettings {
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  readonly rules: readonly NotifyRule[];
  /** Private hosts, addresses and networks to which notices may go. */
  readonly privateTargets: readonly PrivateTarget[];
  /** Where a phone reaches the page and the answer links, such as `https://box.example.ts.net`; undefined if nowhere. */
  readonly publicUrl: string | undefined;
}

/** A command that is run at each change of these kinds. */
export interface HookSettings {
  readonly on: readonly HookKind[];
  readonly command: readonly string[];
  readonly timeoutMs: number;
  readonly sessions: SessionFilter;
}

export const HOOK_KINDS = ["status", "approval", "event", "exit"] as const;
/** A change of the status, of a question, a tagged event, the end of the program. */
export type HookKind = (typeof HOOK_KINDS)[number];

const AFTER_MS_DEFAULT = 20_000;
export const COMMAND_MS_DEFAULT = 10_000;
/** The channel of a session's own command, see `lectern run --on-blocked`. */
export const OWN_CHANNEL = "on-blocked";

/** What a rule has if it names only its channels. */
export const ruleDefaults = {
  on: NOTICE_KINDS as readonly NoticeKind[],
  afterMs: AFTER_MS_DEFAULT,
  sessions: anySession,
  content: "title" as NoticeContent,
  presence: true,
};
