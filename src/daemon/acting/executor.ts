/** The executor: nothing else in the daemon types for a caller. It carries out plans, each for its target alone. */
import type { ActTarget } from "../../core/acting/target.ts";
import { carryOut, type ActEnd, type ActPlan, type ActStep, type MissedAct } from "../../core/acting/plan.ts";
import { LecternError } from "../../core/errors.ts";
import { lineParts, pasteParts } from "../../core/input/paste.ts";
import type { Written } from "../../host/messages.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";

/** Of one act, each typed by itself. */
const LINES_MAX = 2000;
/** Of a paste that is taken as one. In a longer one some parts have several lines, which are with whoever follows a reader that dies just then. */
const PASTE_PARTS_MAX = 64;

/** `isShown` waits for the proof, without which no step that needs one is typed; `onTyped` is told of each step that was typed, at least in part. */
export async function actIn(
  entry: SessionEntry,
  plan: ActPlan,
  how: { readonly isShown?: () => Promise<boolean>; readonly onTyped?: (step: ActStep) => Promise<void> } = {},
): Promise<ActEnd<Written>> {
  return await carryOut<Written>(plan, {
    isShown: how.isShown ?? (async () => false),
    type: async (step) => {
      const typed = await typeFor(entry, plan.target, step);
      if (!("why" in typed) || typed.isBegun) await how.onTyped?.(step);
      return typed;
    },
  });
}

/**
 * Types for this target alone. Law: a key that acts by itself, such as the end of a line, is typed after the same target has read what
 * stands before it, and begins its own input: whoever follows a target that dies gets a key or a part of a line, and nothing to run.
 */
export async function typeFor(
  entry: SessionEntry,
  target: ActTarget | null,
  { bytes, key, isWhole = false }: Omit<ActStep, "proof">,
): Promise<Written | MissedAct> {
  const reader = target?.group == null ? undefined : target;
  const cut = isWhole ? pasteParts(bytes, PASTE_PARTS_MAX) : lineParts(bytes);
  const parts = reader === undefined ? [{ bytes, acts: false }] : cut;
  if (parts.length > LINES_MAX)
    throw new LecternError(
      "TOO_LARGE",
      `Cannot type ${parts.length} lines: at most ${LINES_MAX}; write them into a file`,
    );
  let first: Written | undefined;
  let next = 0;
  for (const [at, part] of parts.entries()) {
    // A paste has been typed with its last part: a daemon that goes on with it types the rest.
    const isNamed = at === (isWhole ? parts.length - 1 : 0);
    const how = { key: key === undefined || isNamed ? key : `${key}.${at}`, reader, acts: part.acts };
    try {
      const written = await entry.input(part.bytes, how);
      first ??= written;
      ({ next } = written);
    } catch (error) {
      if (!(error instanceof LecternError)) throw error;
      const { unread, foreground } = error.details;
      if (unread === undefined && foreground === undefined) throw error;
      return { why: error.message, isBegun: at > 0, isOther: unread === undefined };
    }
  }
  return { offset: first?.offset ?? next, next };
}
