/** Tokens and cost of all sessions, those that ended included. */
import { LecternError } from "../../../core/errors.ts";
import { usageReport, type SessionHour } from "../core/usage-report.ts";
import type { UsageHour } from "../../../core/usage/usage-hours.ts";
import type { ParsedInputOf } from "../../../protocol/operations.ts";
import type { Handlers } from "../../../daemon/service.ts";
import type { Daemon } from "../../../daemon/operations/context.ts";

/** Of all sessions, in one answer. */
const HOURS_MAX = 200_000;
const HOUR_US = 3_600_000_000;

export const usageHandlers = ({
  registry,
  views,
}: Pick<Daemon, "registry" | "views">): Pick<Handlers, "usage.list"> => ({
  "usage.list": async (input) => {
    checkInput(input);
    const sinceUs = input.since === undefined ? 0 : Math.floor((Date.parse(input.since) * 1000) / HOUR_US) * HOUR_US;
    const found = await views.store.usageHours(sinceUs, HOURS_MAX);
    const hours = found.flatMap(([session, hour]) => hourOf(registry, session, hour));
    const { rows, total } = usageReport(hours, input);
    return { rows: rows.map((row) => ({ ...row })), total: { ...total }, isCut: found.length >= HOURS_MAX };
  },
});

/** Nothing for a session that was removed just now. */
function hourOf(registry: Daemon["registry"], session: string, hour: UsageHour): SessionHour[] {
  const stored = registry.get(session)?.stored;
  if (stored === undefined) return [];
  return [{ ...hour, agent: hour.agent ?? stored.agent, session, name: stored.name, labels: stored.labels }];
}

function checkInput({ by, label, timeZone }: ParsedInputOf<"usage.list">): void {
  if ((by === "label") !== (label !== undefined))
    throw new LecternError("INVALID_INPUT", 'Cannot add up usage: give "label" with "by=label", and only then');
  try {
    new Intl.DateTimeFormat("en", { timeZone }).format(0);
  } catch (cause) {
    const message = `Cannot add up usage by the time zone "${timeZone}": wanted a name such as "Europe/Berlin" or "UTC"`;
    throw new LecternError("INVALID_INPUT", message, { cause });
  }
}
