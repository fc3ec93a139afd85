/** The schemas of events, as the marks that a session begins with. */
import { LecternError } from "../../core/errors.ts";
import { schemaProblem } from "../../core/events/payload-check.ts";
import type { SessionEvent } from "../../core/records.ts";

/** Throws `INVALID_INPUT` for a schema that cannot be used. */
export function schemaEvents(schemas: Readonly<Record<string, unknown>>): SessionEvent[] {
  return Object.entries(schemas).map(([name, schema]) => {
    const problem = schemaProblem(schema);
    if (problem !== undefined) throw new LecternError("INVALID_INPUT", `Event "${name}": ${problem}`);
    return { type: "event-schema", name, schema };
  });
}
