/** The schemas of events, as the marks that a session begins with. */
import { LecternError } from "../../core/errors.ts";
import type { SessionEvent } from "../../core/records.ts";
import { JobThread } from "../jobs/job-thread.ts";
import type { JobOutput } from "../jobs/thread-jobs.ts";
import type { SessionPart } from "./session-part.ts";

type Schemas = Readonly<Record<string, unknown>>;
type CheckSchemas = (schemas: Schemas) => Promise<JobOutput<"schemas">>;

const thread = new JobThread();

/** Throws `INVALID_INPUT` for a schema that cannot be used, and what the check throws. */
export async function schemaEvents(schemas: Schemas, check: CheckSchemas): Promise<SessionEvent[]> {
  if (Object.keys(schemas).length === 0) return [];
  for (const [name, problem] of await check(schemas))
    if (problem !== null) throw new LecternError("INVALID_INPUT", `Event "${name}": ${problem}`);
  return Object.entries(schemas).map(([name, schema]) => ({ type: "event-schema", name, schema }));
}

export const eventSchemasPart: SessionPart = {
  name: "event schemas",
  begin: async ({ input }, launch) => {
    const check: CheckSchemas = (schemas) => thread.run("schemas", schemas);
    launch.events.push(...(await schemaEvents(input.eventSchemas ?? {}, check)));
  },
};
