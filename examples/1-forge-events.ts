/** Typed events, exactly as the model of an agent wrote them: node examples/1-forge-events.ts claude */
import { LecternClient, openSession } from "lectern";
import { isTrusted } from "lectern/core";

const client = await LecternClient.connect();
const [program = "bash", ...words] = process.argv.slice(2);
const schema = { type: "object", properties: { result: { type: "string" } }, required: ["result"] };
const eventSchemas = { PLAN_COMPLETE: schema, TASK_COMPLETE: schema };
const options = { client, wire: {}, eventSchemas, environment: process.env };
await using session = await openSession([program, ...words], options);
for await (const event of session.events()) {
  if (!event.valid) console.log("refused:", event.error.message);
  else if (isTrusted(event.trust, "wire")) console.log(event.name, event.payload);
  else console.log("not trusted:", event.name, event.doubt ?? event.trust);
}
console.log("The agent has ended:", (await session.ended()).reason);
