/** What an error says about the name of an agent that is not known. */
import { nearestWord } from "../gate/nearest.ts";

/**
 * The nearest known name, or all of them.
 *
 * @example
 * ```ts
 * nameHint("claud", ["claude", "codex"]); // 'did you mean "claude"'
 * ```
 */
export function nameHint(name: string, names: readonly string[]): string {
  const nearest = nearestWord(name, names);
  return nearest === undefined ? `the agents are ${names.join(", ")}` : `did you mean "${nearest}"`;
}
