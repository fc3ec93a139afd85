/** Output that is captured, streamed and summarized: node examples/3-output.ts make test */
import { LecternClient, openSession } from "lectern";

const client = await LecternClient.connect();
const [program = "bash", ...words] = process.argv.slice(2);
await using session = await openSession([program, ...words], { client });
for await (const item of session.output({ from: 0 })) {
  if (item.type === "output") process.stdout.write(item.bytes);
  else console.log(`Missing: ${item.offset} to ${item.next}.`);
}
const { text } = await client.sessions.logs(session.id, { tail: 1 });
const { commands, errors } = await client.sessions.digest(session.id);
console.log({
  lastLine: text,
  state: (await session.status())?.state,
  commands: commands.length,
  errors: errors.length,
});
