/** Output that is captured, streamed and summarized: lectern up --detach; node examples/3-output.ts make test */
import { lecternPaths, openSession, unixTransport } from "lectern";
import { LecternClient } from "lectern/client";

const client = new LecternClient(unixTransport(lecternPaths(process.env).daemonSocket));
const [program = "bash", ...words] = process.argv.slice(2);
await using session = await openSession([program, ...words], { client });
for await (const item of session.output({ from: 0 })) {
  if (item.type === "output") process.stdout.write(item.bytes);
  else console.log(`Missing: ${item.offset} to ${item.next}.`);
}
const { text } = await client.call("sessions.logs", { session: session.id, tail: 1 });
const { commands, errors } = await client.call("sessions.digest", { session: session.id });
console.log({
  lastLine: text,
  state: (await session.status())?.state,
  commands: commands.length,
  errors: errors.length,
});
