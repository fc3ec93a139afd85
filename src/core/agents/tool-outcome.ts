/**
 * What came of a tool call, by the result that the agent sends to its model.
 *
 * Law: an outcome is stated only if something shows it that the agent writes and that no output of the tool can imitate: a flag of the API,
 * or a place in front of the output or behind it. Everything else is `unknown`.
 */
import type { Pattern } from "./pattern.ts";

/** One rule of an agent file, see `OutcomeData`. */
export interface OutcomeRule {
  readonly name: string;
  readonly tools: Pattern;
  readonly notTools: Pattern | null;
  /** Null: with the error flag or without. */
  readonly flag: "error" | "none" | null;
  readonly begins: Pattern | null;
  readonly ends: Pattern | null;
  readonly result: "succeeded" | "failed" | "refused" | "unknown";
}

/** The rules of an agent, and how evidence names them. */
export interface OutcomeRules {
  readonly rulesName: string;
  readonly outcomes: readonly OutcomeRule[];
}

interface ToolOutcome {
  readonly result: "succeeded" | "failed" | "refused" | "unknown";
  /** The rule that fits, as `codex@2 exit-zero`; `error flag`; or `no sign in the result`. */
  readonly evidence: string;
}

interface ToolResult {
  /** Name of the tool as the model called it. */
  readonly tool: string;
  readonly text: string;
  /** The error flag of the API. */
  readonly isError: boolean;
}

/** UTF-16 units at each end of a result that rules are compared with. */
const PLACE_CHARS_MAX = 1000;

/** What the result of a tool call shows. `agent`: undefined for one that is not known. */
export function toolOutcome({ isError, text, tool }: ToolResult, agent: OutcomeRules | undefined): ToolOutcome {
  const begin = text.slice(0, PLACE_CHARS_MAX);
  const end = text.slice(-PLACE_CHARS_MAX);
  const found = agent?.outcomes.find(
    ({ begins, ends, flag, notTools, tools }) =>
      tools.test(tool) &&
      notTools?.test(tool) !== true &&
      (flag === null || (flag === "error") === isError) &&
      begins?.test(begin) !== false &&
      ends?.test(end) !== false,
  );
  if (agent !== undefined && found !== undefined)
    return { result: found.result, evidence: `${agent.rulesName} ${found.name}` };
  return isError
    ? { result: "failed", evidence: "error flag" }
    : { result: "unknown", evidence: "no sign in the result" };
}
