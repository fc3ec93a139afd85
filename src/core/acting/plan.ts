/**
 * What is typed for a caller, and when: a plan is made before a byte is typed, and nothing is typed without one. It is carried out here and not
 * in the daemon, because a terminal of the caller's own process types as well.
 *
 * Law: no step is typed before its proof was seen, and none behind one that was not typed as a whole.
 */
import type { ActTarget } from "./target.ts";

/** What is typed at once. */
export interface ActStep {
  readonly bytes: Uint8Array;
  /** `planned`: what the plan was made from; `shown`: what was typed, and nothing else, stands where it was typed (`proof.ts`). */
  readonly proof: "planned" | "shown";
  /** The pty host types it once. */
  readonly key?: string | undefined;
  /** It is one paste, which the program takes as one, as agents do. */
  readonly isWhole?: boolean;
}

/** Of prompts, answers and typed commands. */
export interface ActPlan {
  /** Null in a terminal of the caller's own process: whoever reads. */
  readonly target: ActTarget | null;
  readonly steps: readonly ActStep[];
}

/** Not all of a step was typed. */
export interface MissedAct {
  readonly why: string;
  readonly isBegun: boolean;
  /** Another program is in the foreground. */
  readonly isOther: boolean;
}

/**
 * - `written`: what the last step gave
 * - `unseen`: the step of which the proof was not seen; nothing of it was typed
 * - `missed`: why a step was not typed, or in part
 */
export type ActEnd<Written> =
  | { readonly written: Written | undefined }
  | { readonly unseen: ActStep }
  | { readonly missed: MissedAct; readonly step: ActStep };

/** `isShown` waits for the proof, up to its limit. */
export async function carryOut<Written extends object>(
  { steps }: ActPlan,
  act: {
    readonly isShown: () => Promise<boolean>;
    readonly type: (step: ActStep) => Promise<Written | MissedAct>;
  },
): Promise<ActEnd<Written>> {
  let written: Written | undefined;
  for (const step of steps) {
    if (step.proof === "shown" && !(await act.isShown())) return { unseen: step };
    const typed = await act.type(step);
    if ("why" in typed) return { missed: { ...typed, isBegun: typed.isBegun || written !== undefined }, step };
    written = typed;
  }
  return { written };
}
