/**
 * Options under the names that versions until November 2026 gave them in the registry and in `session.json`. They are written beside the
 * options, so that such a version can be used again; sessions that it has written are read by `optionsOfEarlier`.
 */
import type { RecordedOptions } from "../../protocol/session-options.ts";
import type { SessionSandbox } from "../../protocol/session.ts";

export const earlierNames = {
  isMine: "mine",
  trustsText: "trustText",
  eventTag: "eventTag",
  summaries: "summaries",
  onBlocked: "onBlocked",
} as const satisfies Record<string, keyof RecordedOptions>;

export const earlierFields = (options: RecordedOptions): Record<keyof typeof earlierNames, unknown> => ({
  isMine: options.mine || undefined,
  trustsText: options.trustText || undefined,
  eventTag: options.eventTag,
  summaries: options.summaries || undefined,
  onBlocked: options.onBlocked,
});

/** The commit before does not know `findings`: only a session that has some is one whose walls it cannot read. */
export function writtenSandbox(sandbox: SessionSandbox | undefined): Partial<SessionSandbox> | undefined {
  if (sandbox === undefined) return undefined;
  const { findings, ...known } = sandbox;
  return findings.length === 0 ? known : sandbox;
}

/** `start`: the file `start.json` in the directory of the session, which has all other options; undefined without one. */
export function optionsOfEarlier(
  fields: Readonly<Record<string, unknown>>,
  start: Readonly<Record<string, unknown>> | undefined,
): Record<string, unknown> {
  const named = Object.entries(earlierNames).map(([earlier, name]) => [name, fields[earlier]] as const);
  const { version: _, parent: __, ...others } = start ?? {};
  return { ...Object.fromEntries(named.filter(([, value]) => value !== undefined)), ...others };
}
