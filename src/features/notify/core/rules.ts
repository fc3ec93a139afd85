/** Which sessions are reported, when, and to whom. */
import { compileGlob } from "../../../core/gate/globs.ts";
import type { NoticeContent, NoticeKind } from "./notice.ts";

export interface NotifyRule {
  readonly on: readonly NoticeKind[];
  /** It must still be so this long after it began. */
  readonly afterMs: number;
  /** Empty conditions fit every session. */
  readonly sessions: SessionFilter;
  readonly content: NoticeContent;
  /** Whoever has the session in front, or types in it, has seen it. */
  readonly presence: boolean;
  /** Names of channels. */
  readonly to: readonly string[];
}

export interface SessionFilter {
  /** Globs for the name; one must fit. */
  readonly names: readonly string[];
  /** All must be there; a value is a glob. */
  readonly labels: Readonly<Record<string, string>>;
  /** Names of agents; one must be in the foreground. */
  readonly agents: readonly string[];
}

export const anySession: SessionFilter = { names: [], labels: {}, agents: [] };

/** The facts of a session that rules ask for. */
export interface FilteredSession {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly agent: string | null;
}

/** An invalid glob fits nothing; the configuration reports it. */
export function fitsSession({ agents, labels, names }: SessionFilter, session: FilteredSession): boolean {
  const fitsName = names.length === 0 || names.some((glob) => fits(glob, session.name));
  const fitsAgent = agents.length === 0 || (session.agent !== null && agents.includes(session.agent));
  const fitsLabels = Object.entries(labels).every(([key, glob]) => {
    const value = Object.hasOwn(session.labels, key) ? session.labels[key] : undefined;
    return value !== undefined && fits(glob, value);
  });
  return fitsName && fitsAgent && fitsLabels;
}

/** To whom an occurrence is reported: the first rule that names a channel decides for it. `session` is null for a machine. */
export function rulesFor(
  rules: readonly NotifyRule[],
  kind: NoticeKind,
  session: FilteredSession | null,
): readonly { readonly channel: string; readonly rule: NotifyRule }[] {
  const found = new Map<string, NotifyRule>();
  for (const rule of rules) {
    if (!rule.on.includes(kind) || (session !== null && !fitsSession(rule.sessions, session))) continue;
    for (const channel of rule.to) if (!found.has(channel)) found.set(channel, rule);
  }
  return [...found].map(([channel, rule]) => ({ channel, rule }));
}

function fits(source: string, text: string): boolean {
  const compiled = compileGlob(source);
  return compiled.ok && compiled.glob.matches(text);
}
