/**
 * Whether a limit of usage is reached, and until when: the only reader of the notices of agents, at the fixed places that their files name,
 * and of what the gateway read from the model server.
 */
import { limitRuleOf } from "../agents/fitting-rule.ts";
import { resetTime } from "../text/reset-time.ts";
import type { Cause } from "./observation.ts";
import type { ScreenFacts } from "./screen-facts.ts";

export interface LimitNotice {
  readonly source: "wire" | "screen";
  /** The words that show it, at most 200 characters. */
  readonly text: string;
  /** When it ends, microseconds since the Unix epoch; null if that is not known. */
  readonly untilUs: number | null;
}

interface LimitContext {
  readonly screen: ScreenFacts | null;
  readonly timeUs: number;
  /** That of the program; null if it is not known. */
  readonly timeZone: string | null;
}

const TEXT_CHARS_MAX = 200;

/** Null if it shows that there is no limit; undefined if it shows nothing about that. */
export function limitNoticeOf(
  cause: Cause,
  { screen, timeUs, timeZone }: LimitContext,
): LimitNotice | null | undefined {
  if (cause.type === "mark") return ofWire(cause);
  if (cause.type !== "frame" || screen === null) return undefined;
  const { profile } = screen.context;
  if (profile === undefined || profile.limits.length === 0) return undefined;
  const { box } = screen;
  const found = limitRuleOf(profile, { lines: screen.frame.lines, box });
  // A screen without its box is being painted, or shows something else.
  if (found === null) return box === null ? undefined : null;
  const { ends, text } = found;
  return {
    source: "screen",
    text: text.replaceAll(/\s+/g, " ").slice(0, TEXT_CHARS_MAX),
    untilUs: ends === null ? null : resetTime(ends, { nowUs: timeUs, timeZone }),
  };
}

function ofWire({ mark }: Extract<Cause, { type: "mark" }>): LimitNotice | null | undefined {
  if (mark.type !== "wire-turn") return undefined;
  const { error, limit, status } = mark;
  if (limit === undefined) return status === 200 && error === null ? null : undefined;
  const text = error === null ? `the model server answered ${status ?? "nothing"}` : (error.message ?? error.type);
  return { source: "wire", text: text.slice(0, TEXT_CHARS_MAX), untilUs: limit.untilUs };
}
