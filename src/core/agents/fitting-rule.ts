/** Which rule of an agent fits: the only reader of its rules for titles and for the fixed places of its screen. */
import type { ScreenLine } from "../screen/screen-lines.ts";
import type { Agent, ScreenRule, TitleRule } from "./agent.ts";
import { textAtPlace, type InputBox } from "./input-box.ts";

interface Wanted {
  /** Only rules that identify the agent. Default false. */
  readonly identifies?: boolean;
}

/** The first rule with a state that fits, else the first that fits. */
export function titleRuleOf({ titles }: Agent, title: string, { identifies = false }: Wanted = {}): TitleRule | null {
  if (title === "") return null;
  const fitting = titles.filter((rule) => (rule.identifies || !identifies) && rule.pattern.test(title));
  return fitting.find(({ says }) => says !== null) ?? fitting[0] ?? null;
}

export interface FittingScreenRule {
  readonly rule: ScreenRule;
  /** What it fits. */
  readonly text: string;
}

/** The first rule that fits; `box` is the input box of the agent, or null. */
export function screenRuleOf(
  { screen }: Agent,
  { lines, box }: { readonly lines: readonly ScreenLine[]; readonly box: InputBox | null },
  { identifies = false }: Wanted = {},
): FittingScreenRule | null {
  for (const rule of screen) {
    if (identifies && !rule.identifies) continue;
    const match = rule.pattern.exec(textAtPlace(lines, box, rule.place));
    if (match !== null) return { rule, text: match[0].trim() };
  }
  return null;
}

/** The first that fits: what it fits, and when the limit ends, in the agent's words; `ends` is null if it does not say. */
export function limitRuleOf(
  { limits }: Agent,
  { lines, box }: { readonly lines: readonly ScreenLine[]; readonly box: InputBox | null },
): { readonly text: string; readonly ends: string | null } | null {
  for (const { place, pattern } of limits) {
    const match = pattern.exec(textAtPlace(lines, box, place));
    if (match !== null) return { text: match[0].trim(), ends: match[1] ?? null };
  }
  return null;
}
