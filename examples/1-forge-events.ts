/** Typed events in the output of an agent: node examples/1-forge-events.ts claude */
import { openSession } from "lectern";
import { isTrusted } from "lectern/core";

const [program = "bash", ...words] = process.argv.slice(2);
const schema = { type: "object", properties: { result: { type: "string" } }, required: ["result"] };
const options = { trustText: true, eventSchemas: { PLAN_COMPLETE: schema, TASK_COMPLETE: schema } };
await using session = await openSession([program, ...words], options);
for await (const event of session.events({ trust: "unverified" })) {
  if (!event.valid) console.log("refused:", event.error.message);
  else if (isTrusted(event.trust, "text")) console.log(event.name, event.payload);
}
console.log("The agent has ended:", (await session.ended()).reason);
