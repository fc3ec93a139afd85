/** A small agent: ANTHROPIC_API_KEY=... node examples/agent/main.ts --model claude-sonnet-4-5 why does the build fail */
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { AuditLog } from "lectern";
import { escapeForDisplay, Sanitizer } from "lectern/core";
import { checkPolicy } from "lectern/gate";
import type { WireDelta } from "lectern/llm";
import { patterns } from "lectern/patterns";
import { shell } from "lectern/shell";
import { yaml } from "lectern/yaml";
import { Conversation, type ToolResult } from "./model.ts";
import { ShellCalls, shellTool } from "./shell-calls.ts";
import { WarmTerminals } from "./warm-terminals.ts";

const TURNS_MAX = 100;
const text = (value: string) => ({ type: "string", default: value }) as const;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    model: text("claude-sonnet-4-5"),
    policy: text(join(import.meta.dirname, "policy.yaml")),
    audit: text(join(homedir(), ".lectern-agent")),
  },
});
if (positionals.length === 0) throw new Error("Missing prompt: give one, as in node main.ts fix the tests");
const checked = checkPolicy(readFileSync(values.policy, "utf8"), { patterns, shell, yaml });
if (!checked.ok) throw new Error(`Cannot use the policy "${values.policy}": ${checked.problems[0]?.message}`);

const stop = new AbortController();
process.once("SIGINT", () => stop.abort(new Error("Stopped by Ctrl-C")));
// No command gets the key, and none waits for somebody to page or type.
const { ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url = "https://api.anthropic.com", ...rest } = process.env;
const environment = { ...rest, PAGER: "cat", GIT_PAGER: "cat", MANPAGER: "cat", GIT_TERMINAL_PROMPT: "0" };
await using terminals = new WarmTerminals({ environment, columns: 120, rows: 40 });
await using log = await AuditLog.open(values.audit);
const print = (lines: string): void =>
  console.log(
    lines
      .split("\n")
      .map((line) => escapeForDisplay(line))
      .join("\n"),
  );
const calls = new ShellCalls({ policy: checked.policy, log, terminals, print });
const system = `You work in the folder ${process.cwd()} (${process.platform}). Look before you change something, do what was asked, and say in a few words what you did. A call that is refused stays refused: find another way.`;
const model = { url, key, model: values.model, system, tool: shellTool, onDelta };
const conversation = new Conversation(model, positionals.join(" "));
const plain = new Sanitizer();
let begun = 0; // Shell calls of the current turn.

try {
  process.exitCode = (await converse()) ? 0 : 1;
} catch (error) {
  print(error instanceof Error ? error.message : String(error));
  process.exitCode = stop.signal.aborted ? 130 : 1;
}

/** Whether the model ended its last turn by itself. */
async function converse(): Promise<boolean> {
  for (let turns = 1; turns <= TURNS_MAX; turns += 1) {
    begun = 0;
    const { error, finish, toolCalls } = await conversation.turn(stop.signal);
    if (error !== null) throw new Error(`The turn failed: ${error.type} ${error.message ?? ""}`);
    if (toolCalls.length === 0) return finish === "stop";
    const results = new Map<string, ToolResult>();
    for (const call of toolCalls) results.set(call.id, await calls.run(call, stop.signal));
    stop.signal.throwIfAborted();
    conversation.answer(results);
  }
  throw new Error(`The model took ${TURNS_MAX} turns`);
}

/** Text is shown at once. A terminal starts as soon as the model names the tool, long before its arguments are decided about. */
function onDelta(delta: WireDelta): void {
  if (delta.type === "text-delta") process.stdout.write(plain.feed(Buffer.from(delta.text)));
  if (delta.type === "finish") process.stdout.write(`${plain.end()}\n`);
  if (delta.type === "tool-call-start" && delta.name === shellTool.name) {
    begun += 1;
    terminals.warm(begun);
  }
}
