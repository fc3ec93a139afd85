/** Sessions that continue others: see docs/resume.md. Pure. */
import type { Session } from "../../client.ts";

/** Further ones are read on the page of their own session. */
export const EARLIER_SESSIONS_MAX = 20;

/** Whether to offer "Resume". False if the daemon is known to refuse it; only the daemon knows whether there is a conversation. */
export const canResume = ({ agent, continuedBy, isImported, state }: Session): boolean =>
  (state === "exited" || state === "lost") && !isImported && agent !== null && continuedBy === null;

/** Names the session in an address: when it has ended, another one may get its name. */
export const referenceOf = ({ id, name, state }: Session): string =>
  state === "exited" || state === "lost" ? id : name;

/** The refusal of a resume, as the daemon reports it. */
export interface ResumeRefusal {
  readonly message: string;
  /** Ids of conversations of which one may be its own. */
  readonly candidates: readonly string[];
}

/** Reads the details of an error of `sessions.resume`. */
export function candidatesOf(details: unknown): string[] {
  const candidates = typeof details === "object" && details !== null && "candidates" in details && details.candidates;
  return Array.isArray(candidates) ? candidates.filter((each) => typeof each === "string") : [];
}
