/** The schemas of events, as the marks that a session begins with. */
import { LecternError } from "../../core/errors.ts";
import type { SessionEvent } from "../../core/records.ts";
import type { SessionPart } from "./session-part.ts";

/** Throws `INVALID_INPUT` for a schema that cannot be used. */
export async function schemaEvents(schemas: Readonly<Record<string, unknown>>): Promise<SessionEvent[]> {
  const given = Object.entries(schemas);
  if (given.length === 0) return [];
  // The compiler of schemas is loaded when there is one.
  const { schemaProblem } = await import("../../core/events/payload-check.ts");
  return given.map(([name, schema]) => {
    const problem = schemaProblem(schema);
    if (problem !== undefined) throw new LecternError("INVALID_INPUT", `Event "${name}": ${problem}`);
    return { type: "event-schema", name, schema };
  });
}

export const eventSchemasPart: SessionPart = {
  name: "event schemas",
  begin: async ({ input }, launch) => void launch.events.push(...(await schemaEvents(input.eventSchemas ?? {}))),
};
