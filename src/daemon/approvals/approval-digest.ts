/** The digest of what a person is shown of a question. An answer carries it, so that it never falls on another question. */
import { createHash } from "node:crypto";
import type { Approval } from "../../core/dialogs/approval.ts";

const DIGEST_CHARS = 16;

export interface DigestedQuestion {
  readonly session: string;
  /** SHA-256 of the whole arguments of a held call, of which `details` may be only the beginning. */
  readonly argumentsHash?: string | undefined;
}

/** Which option is marked now, and when the question was asked, do not count. */
export function approvalDigest(approval: Approval, { session, argumentsHash }: DigestedQuestion): string {
  const { details, id, kind, question } = approval;
  const options = approval.options.map(({ checked, effect, id: option, label }) =>
    checked === undefined ? [option, label, effect] : [option, label, effect, checked],
  );
  const shown = JSON.stringify([session, id, kind, question, details, options, argumentsHash ?? null]);
  return createHash("sha256").update(shown).digest("hex").slice(0, DIGEST_CHARS);
}
