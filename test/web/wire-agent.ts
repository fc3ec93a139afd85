/**
 * An agent as small as can be, by the name of one that the gateway knows, with a screen that looks like that one's: it asks the model,
 * shows what comes, and goes on with each line that it gets. Plain JavaScript, so that any Node runs it.
 */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { nodeProgram } from "../support/launcher.ts";

const program = `
const url = process.env.ANTHROPIC_BASE_URL + "/v1/messages";
const tools = [{ name: "Bash", description: "Runs a command", input_schema: { type: "object", properties: { command: { type: "string" } }, required: ["command"] } }];
const messages = [];
const out = (text) => process.stdout.write(text);
const state = (word) => out("\\x1b]7501;state=" + word + ":app=claude-code\\x07");
const rule = "─".repeat(60);
const box = rule + "\\n❯ \\n" + rule + "\\n  ? for shortcuts\\x1b[2A\\r\\x1b[2C";
/** Above its box, in which the cursor stands. */
const above = (text) => out("\\x1b[1A\\r\\x1b[J" + text + "\\n\\n" + box);
const say = (text) => above("● " + text.trimEnd().replaceAll("\\n", "\\n  "));
async function turn(content) {
  messages.push({ role: "user", content });
  const body = JSON.stringify({ model: "claude-test", max_tokens: 1000, stream: true, tools, messages });
  const headers = { "content-type": "application/json", "x-api-key": "sk-test", "anthropic-version": "2023-06-01" };
  const answer = await fetch(url, { method: "POST", headers, body });
  let text = "";
  let call;
  let input = "";
  for (const line of (await answer.text()).split("\\n")) {
    if (!line.startsWith("data: ")) continue;
    const event = JSON.parse(line.slice(6));
    if (event.delta?.type === "text_delta") text += event.delta.text;
    if (event.content_block?.type === "tool_use") call = event.content_block;
    if (event.delta?.type === "input_json_delta") input += event.delta.partial_json;
  }
  if (text !== "") say(text);
  const blocks = text === "" ? [] : [{ type: "text", text }];
  if (call === undefined) {
    messages.push({ role: "assistant", content: blocks });
    state("idle");
    return;
  }
  messages.push({ role: "assistant", content: [...blocks, { ...call, input: JSON.parse(input) }] });
  above("● Bash(" + JSON.parse(input).command + ")\\n  ⎿  12 tests passed\\n     0 failed");
  await turn([{ type: "tool_result", tool_use_id: call.id, content: "12 tests passed\\n0 failed" }]);
}
out(box);
state("idle");
process.stdin.on("data", (data) => {
  const line = data.toString().trim();
  state("working");
  // The terminal has echoed the line into the box, and the cursor stands below it.
  out("\\x1b[1A");
  above("❯ " + line);
  void turn(line);
});
`;

/** Writes the program into a directory. Returns the command that runs it. */
export function writeWireAgent(directory: string): string {
  const folder = join(directory, "bin");
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "claude");
  writeFileSync(path, nodeProgram(program));
  chmodSync(path, 0o700);
  return path;
}

export const askingPolicy = `version: 1
default: allow
opaque: allow
rules:
  - { id: ask-tests, effect: ask, command: "npm test" }
`;
