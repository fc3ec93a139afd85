/** What the fixed places of a screen say. */
import { screenRuleOf } from "../agents/fitting-rule.ts";
import type { Agent } from "../agents/agent.ts";
import type { Approval } from "../dialogs/approval.ts";
import type { Frame } from "../screen/frame.ts";
import type { ScreenFacts } from "../observe/screen-facts.ts";
import type { Signal } from "./signal.ts";

/** By the rules of the agent in the foreground; null where none fits: the screen is being painted, or shows what nobody described. */
export function agentScreenSignal({ frame, box, cursorLine }: ScreenFacts, profile: Agent): Signal | null {
  if (profile.line !== null) return lineSignal(profile, { frame, before: cursorLine.before });
  const found = screenRuleOf(profile, { lines: frame.lines, box });
  if (found === null) return null;
  const { says, name } = found.rule;
  return {
    kind: "screen",
    says,
    allows: says === "working" ? ["working", "blocked"] : [says],
    isFirm: true,
    text: `${name}: ${found.text}`,
    rule: profile.rulesName,
    offset: frame.offset,
    timeUs: frame.timeUs,
  };
}

/** An agent that reads lines waits at its prompt, and works anywhere else. */
function lineSignal(
  { line, rulesName }: Agent,
  { frame, before }: { readonly frame: Frame; readonly before: string },
): Signal {
  const isAtPrompt = line?.prompt.test(before) === true;
  return {
    kind: "screen",
    says: isAtPrompt ? "waiting" : "working",
    allows: isAtPrompt ? ["waiting"] : ["working", "blocked"],
    isFirm: true,
    text: isAtPrompt ? `its prompt: ${before.trim()}` : "its prompt is not shown",
    rule: rulesName,
    offset: frame.offset,
    timeUs: frame.timeUs,
  };
}

/** A shell or a line editor: the prompt that stood there before a line was typed stands there again. */
export function promptSignal({ frame, cursorLine }: ScreenFacts, prompt: string | null): Signal | null {
  if (prompt === null || prompt.trim() === "" || frame.isAlternate || !frame.cursor.isVisible) return null;
  if (!cursorLine.before.startsWith(prompt.trimEnd())) return null;
  return {
    kind: "screen",
    says: "waiting",
    allows: ["waiting", "blocked"],
    isFirm: true,
    text: `the prompt again: ${prompt.trim()}`,
    rule: null,
    offset: frame.offset,
    timeUs: frame.timeUs,
  };
}

/** A dialog, as it was read off the screen or held by the gateway. */
export function approvalSignal(approval: Approval): Signal {
  return {
    kind: approval.source,
    says: "blocked",
    allows: ["blocked"],
    isFirm: true,
    text: approval.question,
    rule: null,
    offset: approval.offset,
    timeUs: approval.timeUs,
  };
}
