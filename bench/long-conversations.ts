/** How many prompts and answers of long conversations are exact: `node bench/long-conversations.ts --help` has the options. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { ChatMessage } from "../src/core/chat/message.ts";
import { installedAgent, type AgentName, type InstalledAgent } from "../test/agents/installed-agents.ts";
import { LiveAgent } from "../test/agents/live-agent.ts";
import { configuredDaemon } from "../test/support/configured-daemon.ts";
import { TemporaryDaemon } from "../test/support/temporary-daemon.ts";
import { scoreOf, type Said } from "./support/conversation-score.ts";

const help = `Long conversations with real agents against the scripted model, with the same blocks again and again: how many prompts and
answers are exact, doubled, lost or out of order, with the agent's own record and from its screen alone.

  node bench/long-conversations.ts [options]

  --agents NAMES   default: claude,codex,gemini,opencode,qwen,pi,copilot
  --turns N        default: 32
  --sizes SIZES    default: 100x30,60x20
  --sources KINDS  record, screen; default: both
  --keep DIR       keep the journal of each conversation
  --read DIR       read kept journals again, as this version reads them, without agents
`;

const { values: options } = parseArgs({
  options: {
    help: { type: "boolean", default: false },
    agents: { type: "string", default: "claude,codex,gemini,opencode,qwen,pi,copilot" },
    turns: { type: "string", default: "32" },
    sizes: { type: "string", default: "100x30,60x20" },
    sources: { type: "string", default: "record,screen" },
    keep: { type: "string" },
    read: { type: "string" },
  },
});

const code = ["```ts", "export function half(x: number): number {", "  return x / 2;", "}", "```"].join("\n");
const list = ["- first of the list", "- second of the list", "  - inside of it", "- third of the list"].join("\n");
const table = ["| name | value |", "| --- | --- |", "| one | 1 |", "| two | 2 |"].join("\n");
const blocks = [code, list, table, "The same words as before, nothing else."];

/** Of four turns two say nothing that was not said before. */
function saidIn(turn: number): readonly [prompt: string, answer: string] {
  const block = blocks[turn % blocks.length] ?? "";
  if (turn % 4 === 1) return ["please go on", `Here it is again.\n\n${block}`];
  if (turn % 4 === 3) return ["please show it again", block];
  return [`please do step ${turn} of the work`, `Step ${turn} is done.\n\n${block}\n\nThat was step ${turn}.`];
}

const saidUntil = (turns: number): Said[] =>
  Array.from({ length: turns }, (_, turn) => saidIn(turn)).flatMap(([prompt, answer]): Said[] => [
    { role: "user", text: prompt },
    { role: "assistant", text: answer },
  ]);

function report(name: string, said: readonly Said[], messages: readonly ChatMessage[]): void {
  const { faults, roles } = scoreOf(said, messages);
  for (const fault of faults) console.log(`  ${fault}`);
  for (const [role, score] of Object.entries(roles)) {
    const counts = Object.entries(score).map(([count, value]) => `${value} ${count}`);
    console.log(`${name} ${role}: of ${said.length / 2} ${counts.join(", ")}`);
  }
}

async function runOne(agent: InstalledAgent, size: string, kind: string): Promise<void> {
  const [columns = 100, rows = 30] = size.split("x").map(Number);
  const said = saidUntil(Number(options.turns));
  const answers = said.filter(({ role }) => role === "assistant");
  const begunMs = performance.now();
  await using live = await LiveAgent.start(
    agent,
    { turns: answers.map(({ text }) => ({ say: text, when: { tools: true } })), fallback: { say: "No more." } },
    { columns, rows, daemon: async () => await configuredDaemon({ transcripts: { follow: kind === "record" } }) },
  );
  const { daemon, session } = live;
  for (const { text } of said.filter(({ role }) => role === "user")) {
    const receipt = await prompted(live, text);
    if (receipt.state !== "done") console.log(`  ${receipt.state}: ${receipt.reason}`);
  }
  await daemon.call("sessions.wait", { session, for: { type: "quiet", quietMs: 4000 }, timeoutMs: 8000 });
  const name = `${agent.name} ${agent.version} ${size} ${kind}`;
  report(name, said, await live.wholeMessages());
  for (const problem of [...daemon.problems, ...daemon.errors]) console.log(`  ${String(problem)}`);
  console.log(`  ${((performance.now() - begunMs) / 1000).toFixed(0)} s`);
  if (options.keep !== undefined) keep(options.keep, name, { daemon, session, said });
}

/** A prompt that is refused comes again when nothing is drawn any more: an agent may stand still with half of its box on the screen. */
async function prompted(live: LiveAgent, text: string, triesMax = 10): ReturnType<LiveAgent["prompt"]> {
  try {
    return await live.prompt(text, { literal: true });
  } catch (error) {
    console.log(`  refused: ${String(error)}`);
    if (triesMax === 1) throw error;
    await live.daemon.call("sessions.wait", {
      session: live.session,
      for: { type: "quiet", quietMs: 2000 },
      timeoutMs: 20_000,
    });
    return await prompted(live, text, triesMax - 1);
  }
}

function keep(
  directory: string,
  name: string,
  { daemon, said, session }: { daemon: TemporaryDaemon; session: string; said: readonly Said[] },
): void {
  const kept = join(directory, name.replaceAll(" ", "-"));
  rmSync(kept, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  cpSync(daemon.paths.dataDirectory, kept, { recursive: true, filter: (path) => !/\/(?:run|views\.db.*)$/.test(path) });
  writeFileSync(join(kept, "said.json"), JSON.stringify({ name, session, said }));
}

async function readKept(directory: string): Promise<void> {
  const copy = `${directory}.copy`;
  for (const path of globSync(join(directory, "*", "said.json")).toSorted()) {
    const { name, said, session } = JSON.parse(readFileSync(path, "utf8")) as {
      name: string;
      session: string;
      said: Said[];
    };
    cpSync(join(path, ".."), copy, { recursive: true });
    await using daemon = await TemporaryDaemon.start(copy);
    report(name, said, (await daemon.call("sessions.messages", { session })).messages);
  }
}

if (options.help) console.log(help);
else if (options.read !== undefined) await readKept(options.read);
else
  for (const name of options.agents.split(",") as AgentName[]) {
    const agent = await installedAgent(name);
    for (const size of options.sizes.split(","))
      for (const kind of options.sources.split(",")) await runOne(agent, size, kind);
  }
