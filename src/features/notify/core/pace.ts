/** When a notice goes out: not before it has been so for a while, not to somebody who has seen it, not too often, and again after a failure. */

/** Who typed, or had the page in front, this long ago is taken to be there. */
export const PRESENT_MS = 60_000;
/** Pauses before the second attempt and those after it. */
const RETRY_MS: readonly number[] = [5000, 30_000, 300_000, 1_800_000, 7_200_000];
/** What began longer ago is not news, for example if the daemon did not run. A question that waits always is. */
export const NEWS_MS_MAX = 3_600_000;

export interface PaceFacts {
  readonly nowMs: number;
  /** Since when it is so. */
  readonly sinceMs: number;
  readonly afterMs: number;
  /** When a person was last seen with the session; null if that does not count or nobody was. */
  readonly seenMs: number | null;
  /** When the last notice of the session went to this channel; null before the first. */
  readonly lastMs: number | null;
  /** Between two of them: a flood of changes gives its first and its last one. */
  readonly gapMs: number;
}

export type NoticePace =
  | { readonly type: "send" }
  /** Decide again then. */
  | { readonly type: "wait"; readonly untilMs: number }
  /** A person has seen it. */
  | { readonly type: "seen" };

/**
 * Somebody who was there when it began, or came after, has seen it. Somebody who left shortly before may still be there: it waits until
 * that is unlikely.
 */
export function paceOf({ afterMs, gapMs, lastMs, nowMs, seenMs, sinceMs }: PaceFacts): NoticePace {
  if (seenMs !== null && seenMs >= sinceMs) return { type: "seen" };
  const untilMs = Math.max(
    sinceMs + afterMs,
    seenMs === null ? 0 : seenMs + PRESENT_MS,
    lastMs === null ? 0 : lastMs + gapMs,
  );
  return untilMs <= nowMs ? { type: "send" } : { type: "wait", untilMs };
}

/** The pause after this many attempts; undefined after the last one. */
export const retryAfterMs = (attempts: number): number | undefined => RETRY_MS[attempts - 1];

/** What an attempt has shown, as a channel reports it. */
export type SendOutcome =
  /** The target has it. `detail`: its answer in a few words. */
  | { readonly type: "sent"; readonly detail: string }
  /** Not this time. */
  | { readonly type: "failed"; readonly reason: string; readonly retryAfterMs?: number }
  /** Never in this form: it is dead at once. */
  | { readonly type: "refused"; readonly reason: string }
  /** The target does not exist any more: nothing is sent there until a person says so. */
  | { readonly type: "gone"; readonly reason: string };

const WAIT_S_MAX = 7200;

/** What the answer of an HTTP server means. `host` is shown; the address is not, because it may be a secret. */
export function outcomeOfStatus(
  {
    retryAfter,
    status,
    text,
  }: { readonly status: number; readonly text: string; readonly retryAfter: string | undefined },
  host: string,
): SendOutcome {
  if (status >= 200 && status < 300) return { type: "sent", detail: `${host} answered ${status}` };
  const said = text === "" ? "" : ` (${text})`;
  if (status >= 300 && status < 400)
    return {
      type: "refused",
      reason: `${host} redirects (${status}), which is not followed: configure the final address`,
    };
  if (status === 410) return { type: "gone", reason: `${host} answered 410: the target does not exist any more` };
  const next = hints[status];
  const reason = `${host} answered ${status}${said}${next === undefined ? "" : `: ${next}`}`;
  const seconds = Number(retryAfter);
  const isWait = (status === 429 || status === 503) && seconds > 0 && seconds <= WAIT_S_MAX;
  return isWait ? { type: "failed", reason, retryAfterMs: seconds * 1000 } : { type: "failed", reason };
}

const hints: Readonly<Record<number, string>> = {
  401: "check the token",
  403: "check the token and its rights",
  404: "check the address",
  405: "check the address: it does not take POST",
  413: "the notice is too large for it: use content: title",
  429: "it limits how often it is called",
};
