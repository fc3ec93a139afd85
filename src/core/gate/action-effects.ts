/** What is known of what an action does: from the form of a redirection, the table of tools, or the record of a program. */
import type { ProgramEffect } from "./effects.ts";
import type { ActionEffects } from "./judge-effects.ts";
import type { CallAction, CallFacts } from "./rules.ts";
import { toolEffects } from "./tool-effects.ts";

/** Undefined for an action that is judged by other means: a variable, text that cannot be read. */
export function actionEffects(action: CallAction, facts: CallFacts): ActionEffects | undefined {
  switch (action.type) {
    case "redirect":
      return known([{ kind: action.access, target: action.target, text: action.text }]);
    case "walls":
      return known(action.effects);
    case "call":
      return known(toolEffects({ name: facts.tool, arguments: facts.arguments }));
    case "command":
      return known(
        action.reading?.effects.filter((effect) => !isPlainPattern(effect, facts) && !losesNothing(effect, facts)),
      );
    default:
      return undefined;
  }
}

/** Is it a pattern that may be an option, and here is none of that name? `wc -l *` */
function isPlainPattern({ kind, target }: ProgramEffect, { real, starts }: CallFacts): boolean {
  if (kind !== "unknown" || real === null || target?.value !== undefined || target?.path?.startsWith("*") !== true)
    return false;
  const { path } = target;
  return starts.every((start) => {
    const names = real.matches(path, start);
    return names?.every((name) => !/\/-[^/]*$/.test(name)) === true;
  });
}

/**
 * Nothing is lost at a name that the work tree does not have: `git checkout main` is about a branch then. git looks at the disk in the same
 * way, so that a branch and a file of one name are an error.
 */
function losesNothing({ kind, target }: ProgramEffect, { real, starts }: CallFacts): boolean {
  const name = target?.value;
  // Other characters make a pattern or a path with magic of it.
  if (kind !== "loses" || real === null || name === undefined || !/^[\w./@~^{}+-]+$/.test(name)) return false;
  return starts.every(
    (start) => real.matches(name, start)?.length === 0 && real.behind(name, start, false)?.length === 0,
  );
}

const known = (effects: ActionEffects["effects"] | undefined): ActionEffects => ({
  effects: effects ?? [],
  isKnown: effects !== undefined,
});
