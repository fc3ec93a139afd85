/** What an error says about the name of an agent that is not known. */
import { didYouMean } from "../text/nearest.ts";

/** The nearest known name, or all of them. `nameHint("claud", ["claude", "codex"]); // 'did you mean "claude"?'` */
export const nameHint = (name: string, names: readonly string[]): string =>
  didYouMean(name, names) ?? `the agents are ${names.join(", ")}`;
