/**
 * Carries out the plan of an act. Nothing else types for a caller: prompts, answers and typed commands each give it their eyes and their hands.
 * It is here and not in the daemon, because a terminal of the caller's own process types as well.
 *
 * Law: no step is typed before its proof was seen, and none behind one that was not typed as a whole.
 */

/** What is typed at once. */
export interface ActStep<Proof extends string> {
  readonly bytes: Uint8Array;
  /** What has to be seen before; `planned`: what the plan was made from. */
  readonly before: Proof | "planned";
}

/** Not all of a step was typed. */
export interface MissedAct {
  readonly why: string;
  /** A part was typed. */
  readonly isBegun: boolean;
  /** Another program is in the foreground. */
  readonly isOther: boolean;
}

/**
 * - `written`: what the last step gave
 * - `unseen`: the step of which the proof was not seen; nothing of it was typed
 * - `missed`: why a step was not typed, or in part
 */
type TypedPlan<Step, Written> =
  | { readonly written: Written }
  | { readonly unseen: Step }
  | { readonly missed: MissedAct; readonly step: Step };

/** `sees` waits for a proof, up to its limit. */
export async function typePlan<Proof extends string, Step extends ActStep<Proof>, Written extends object>(
  [step, ...rest]: readonly [Step, ...Step[]],
  act: {
    readonly sees: (proof: Proof) => Promise<boolean>;
    readonly type: (step: Step) => Promise<Written | MissedAct>;
  },
): Promise<TypedPlan<Step, Written>> {
  if (step.before !== "planned" && !(await act.sees(step.before))) return { unseen: step };
  const typed = await act.type(step);
  if ("why" in typed) return { missed: typed, step };
  const [next, ...others] = rest;
  return next === undefined ? { written: typed } : await typePlan([next, ...others], act);
}
