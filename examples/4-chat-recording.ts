/** A terminal over tRPC, recorded as messages: node examples/4-chat-recording.ts claude "Hello" */
import { createTRPCClient, createWSClient, wsLink } from "@trpc/client";
import { applyWSSHandler } from "@trpc/server/adapters/ws";
import { extractorFor, LecternClient } from "lectern";
import { lecternRouter, type LecternRouter } from "lectern/trpc";
import { WebSocketServer } from "ws";

const client = await LecternClient.connect();
const server = new WebSocketServer({ port: Number(process.env["PORT"] ?? 3000), host: "127.0.0.1" });
applyWSSHandler({ wss: server, router: lecternRouter(client, { scope: "write" }) });

// In the page: what the terminal prints goes to xterm.js, what a person types comes back with sessions.input.
const socket = createWSClient({ url: `ws://127.0.0.1:${server.options.port}` });
const trpc = createTRPCClient<LecternRouter>({ links: [wsLink({ client: socket })] });
const [program = "bash", prompt = "date"] = process.argv.slice(2);
const { id: session } = await trpc.sessions.create.mutate({ command: [program] });
let screen = "";
trpc.sessions.follow.subscribe(
  { session, from: 0, types: ["output"] },
  { onData: ({ data }) => void (screen += atob(data.data ?? "")) },
);
const typed = { session, text: prompt, shell: program === "bash", waitMs: 600_000 };
const { state } = await trpc.sessions.prompt.mutate(typed);
const { messages } = await trpc.sessions.messages.query({ session, roles: ["user", "assistant", "shell"] });
for (const { role, text, shell } of messages) console.log(`${role}: ${shell?.command ?? ""} ${text}`);

// Other recordings: an extractor for each agent, and with null one that recognizes the agent.
const cast = Buffer.concat(await Array.fromAsync(client.bytes("sessions.export", { session })));
console.log(state, screen.includes(prompt), extractorFor(null).extract(cast).length > 0);
await client.sessions.kill(session);
await socket.close();
server.close();
