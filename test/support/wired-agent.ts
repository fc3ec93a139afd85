/** An agent of a few lines behind the gateway, against a scripted model: for each line that is typed it runs the turn to its end. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ScriptedModel } from "./scripted-model/scripted-model.ts";
import { bodyOf } from "./model-requests.ts";
import type { TemporaryDaemon } from "./temporary-daemon.ts";

/** Calls of tools are answered with `ok`, until the model says something without a call. */
const program = `
import { createInterface } from "node:readline";
console.log("ready");
for await (const line of createInterface({ input: process.stdin })) {
  const messages = [{ role: "user", content: line }];
  for (;;) {
    const response = await fetch(process.env.ANTHROPIC_BASE_URL + "/v1/messages", {
      method: "POST", headers: { "content-type": "application/json", "x-api-key": "sk-very-secret" },
      body: JSON.stringify({ ...${JSON.stringify(bodyOf("anthropic", false))}, model: "claude-sonnet-4-5", messages }),
    });
    const { content, error } = await response.json();
    const calls = (content ?? []).filter((block) => block.type === "tool_use");
    messages.push({ role: "assistant", content });
    if (calls.length === 0) {
      console.log("answer " + (error ? error.message : content.map((block) => block.text).join(" ")));
      break;
    }
    messages.push({ role: "user", content: calls.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "ok" })) });
  }
}
`;

/** The file of that agent, in a directory. */
export function wiredAgentProgram(directory: string): string {
  const path = join(directory, "wired-agent.mjs");
  writeFileSync(path, program);
  return path;
}

/** A session with that agent; it waits for its first line. */
export async function startWiredAgent(
  daemon: TemporaryDaemon,
  { model, name = "agent", environment = {} }: WiredAgentOptions,
): Promise<{ readonly id: string; readonly ask: (line: string, answer: string) => Promise<void> }> {
  const path = wiredAgentProgram(daemon.paths.dataDirectory);
  const { id } = await daemon.run([process.execPath, path], {
    name,
    environment,
    wire: { upstreams: { anthropic: model.url } },
  });
  await daemon.untilOutput(id, "ready", 0);
  return {
    id,
    ask: async (line, answer) => {
      await daemon.call("sessions.input", { session: id, text: line, enter: true });
      await daemon.untilOutput(id, `answer ${answer}`, 0);
    },
  };
}

interface WiredAgentOptions {
  readonly model: ScriptedModel;
  readonly name?: string;
  readonly environment?: Readonly<Record<string, string>>;
}
