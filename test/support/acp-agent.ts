/**
 * An agent over the Agent Client Protocol, by the SDK of the protocol. What it does is in the prompt: `say TEXT`, `ask` (a permission),
 * `wait` (until it is cancelled), `long BYTES` (a message of this size), `die` (it ends at once), `half` (the same, in a line), `noise` (a line that is not a message).
 * Conversations are kept in the file `ACP_AGENT_FILE`, if it is set, and can be loaded; in another file beside it is what it was given with them.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { Readable, Writable } from "node:stream";
import { agent, methods, ndJsonStream, type AgentContext } from "@agentclientprotocol/sdk";

const file = process.env["ACP_AGENT_FILE"];
const sessions = new Map<string, string[]>(
  file !== undefined && existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as [string, string[]][]) : [],
);
let calls = 0;
const cancels = new Map<string, () => void>();

const save = (): void => {
  if (file !== undefined) writeFileSync(file, JSON.stringify([...sessions]));
};

const noteGiven = (params: object): void => {
  if (file !== undefined) appendFileSync(`${file}-given`, `${JSON.stringify(params)}\n`);
};

const say = (client: AgentContext, sessionId: string, text: string): Promise<void> =>
  client.notify(methods.client.session.update, {
    sessionId,
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  });

async function ask(client: AgentContext, sessionId: string): Promise<string> {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: {
      toolCallId: `call-${(calls += 1)}`,
      title: "touch made",
      kind: "execute",
      rawInput: { command: "touch made" },
    },
    options: [
      { optionId: "once", name: "Allow", kind: "allow_once" },
      { optionId: "never", name: "Reject", kind: "reject_once" },
    ],
  });
  return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
}

process.stderr.write("agent on standard error\n");
agent({ name: "test-agent" })
  .onRequest(methods.agent.initialize, ({ params }) => {
    noteGiven(params);
    return {
      protocolVersion: 1,
      agentInfo: { name: "test-agent", version: "1.0.0" },
      agentCapabilities: { loadSession: true },
      authMethods: [],
    };
  })
  .onRequest(methods.agent.session.new, ({ params }) => {
    noteGiven(params);
    const sessionId = `conversation-${sessions.size + 1}`;
    sessions.set(sessionId, []);
    save();
    return { sessionId };
  })
  .onRequest(methods.agent.session.load, async ({ client, params }) => {
    noteGiven(params);
    const { sessionId } = params;
    const texts = sessions.get(sessionId);
    if (texts === undefined) throw new Error("unknown conversation");
    for (const text of texts) await say(client, sessionId, text);
    return {};
  })
  .onNotification(methods.agent.session.cancel, ({ params: { sessionId } }) => cancels.get(sessionId)?.())
  .onRequest(methods.agent.session.prompt, async ({ client, params: { prompt, sessionId } }) => {
    const texts = sessions.get(sessionId);
    if (texts === undefined) throw new Error("unknown conversation");
    const text = prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
    const [word, rest = ""] = text.split(/ (.*)/s);
    if (word === "half") await new Promise((resolve) => process.stdout.write('{"method":"session/up', resolve));
    if (word === "die" || word === "half") process.exit(3);
    if (word === "noise") process.stdout.write("this is not a message\n");
    if (word === "wait") {
      const cancelled = new Promise<void>((resolve) => cancels.set(sessionId, resolve));
      await say(client, sessionId, "waiting");
      await cancelled;
      return { stopReason: "cancelled" };
    }
    const cancelled = new Promise<null>((resolve) => cancels.set(sessionId, () => resolve(null)));
    const chosen = word === "ask" ? await Promise.race([ask(client, sessionId), cancelled]) : "";
    if (chosen === null) return { stopReason: "cancelled" };
    const answer = word === "ask" ? `chosen: ${chosen}` : word === "long" ? "x".repeat(Number(rest)) : rest;
    texts.push(answer);
    save();
    await say(client, sessionId, answer);
    return { stopReason: "end_turn" };
  })
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
