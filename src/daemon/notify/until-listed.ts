/** A new daemon lists the question on a screen only when it has read the screen again and somebody is seen to wait for the answer. */
import type { ApprovalBook } from "../approvals/approval-book.ts";

/** Beyond it the question is not known to stand, so nothing is pressed. */
const LISTED_MS_MAX = 10_000;

interface WaitedFor {
  /** Id of the session. */
  readonly session: string;
  /** Id of the question. */
  readonly approval: string;
  /** Whether it may still be listed: it is not known to have ended. Asked again after each change. */
  readonly mayCome: () => Promise<boolean>;
  /** Default 10 s. */
  readonly listedMsMax?: number;
}

/** Resolves when the question is listed, cannot be any more, or was not in time. */
export async function untilListed(
  book: Pick<ApprovalBook, "list" | "changed">,
  { approval, listedMsMax = LISTED_MS_MAX, mayCome, session }: WaitedFor,
): Promise<void> {
  const leaving = new AbortController();
  const timer = setTimeout(() => leaving.abort(), listedMsMax);
  try {
    for (;;) {
      // Before it is looked for, so that no change is missed.
      const changed = book.changed(leaving.signal);
      if (book.list(session).some(({ id }) => id === approval) || !(await mayCome()) || !(await changed)) return;
    }
  } finally {
    clearTimeout(timer);
    leaving.abort();
  }
}
