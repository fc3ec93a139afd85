/** A model's stream: text at once, tool calls when they are whole and allowed: ANTHROPIC_API_KEY=... node examples/5-model-stream.ts */
import { hash } from "node:crypto";
import { checkPolicy, Gate } from "lectern/gate";
import { vendorBaseUrls, WireReader, writeRequest } from "lectern/llm";
import { shell } from "lectern/shell";

const schema = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const tools = [{ name: "shell", description: "Runs a command", schema }];
const messages = [{ type: "user", text: "List the files." }] as const;
const asked = { model: "claude-sonnet-4-5", system: "", messages, tools, outputTokensMax: 1000 };
const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url = vendorBaseUrls.anthropic } = process.env;
const { path, headers, body } = writeRequest("anthropic", asked, key);
const response = await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) });
const reader = new WireReader("anthropic");
for await (const chunk of response.body ?? [])
  for (const delta of reader.feed(chunk)) if (delta.type === "text-delta") process.stdout.write(delta.text);
reader.end();

const rules = [{ id: "look", effect: "allow", tool: "shell", command: "ls" }];
const checked = checkPolicy({ version: 1, default: "deny", rules }, { shell });
if (!checked.ok) throw new Error(checked.problems[0]?.message);
const gate = new Gate({ policy: checked.policy });
const known = new Map(tools.map((tool) => [tool.name, tool]));
const context = { workingDirectory: process.cwd(), home: null, labels: [] };
for (const call of reader.turn.toolCalls) {
  const argumentsHash = hash("sha256", call.argumentsText);
  const { type } = gate.admit({ call, tools: known, session: "s1", context, argumentsHash }, Date.now());
  console.log(`\n${call.name} ${call.argumentsText}: ${call.status}, ${type}`);
}
