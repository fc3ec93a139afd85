/** A model's stream: text at once, tool calls when they are whole and allowed: ANTHROPIC_API_KEY=... node examples/5-model-stream.ts */
import { hash } from "node:crypto";
import { checkPolicy, Gate } from "lectern/gate";
import { readToolSchemas, WireReader } from "lectern/llm";
import { shell } from "lectern/shell";

const schema = { type: "object", properties: { command: { type: "string" } }, required: ["command"] };
const tools = [{ name: "shell", description: "Runs a command", input_schema: schema }];
const messages = [{ role: "user", content: "List the files." }];
const body = JSON.stringify({ model: "claude-sonnet-4-5", max_tokens: 1000, stream: true, messages, tools });
const { ANTHROPIC_API_KEY: key = "", ANTHROPIC_BASE_URL: url = "https://api.anthropic.com" } = process.env;
const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01", "x-api-key": key };
const response = await fetch(`${url}/v1/messages`, { method: "POST", headers, body });
const reader = new WireReader("anthropic");
for await (const chunk of response.body ?? [])
  for (const delta of reader.feed(chunk)) if (delta.type === "text-delta") process.stdout.write(delta.text);
reader.end();

const rules = [{ id: "look", effect: "allow", tool: "shell", command: "ls" }];
const checked = checkPolicy({ version: 1, default: "deny", rules }, { shell });
if (!checked.ok) throw new Error(checked.problems[0]?.message);
const gate = new Gate({ policy: checked.policy });
const known = readToolSchemas("anthropic", { tools });
const context = { workingDirectory: process.cwd(), home: null, labels: [] };
for (const call of reader.turn.toolCalls) {
  const argumentsHash = hash("sha256", call.argumentsText);
  const { type } = gate.admit({ call, tools: known, session: "s1", context, argumentsHash }, Date.now());
  console.log(`\n${call.name} ${call.argumentsText}: ${call.status}, ${type}`);
}
