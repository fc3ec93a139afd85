/**
 * Long conversations with real agents against the scripted model, with the same blocks again and again: how many prompts and answers are
 * exact, with the agent's own record and from its screen alone.
 *
 *   node bench/long-conversations.ts [agents=claude,codex,gemini,opencode,qwen,pi] [turns=32] [sizes=100x30,60x20] [sources=record,screen]
 */
import type { ChatMessage } from "../src/core/chat/message.ts";
import { installedAgent, type AgentName, type InstalledAgent } from "../test/agents/installed-agents.ts";
import { LiveAgent } from "../test/agents/live-agent.ts";
import { configuredDaemon } from "../test/support/configured-daemon.ts";

const [
  ,
  ,
  names = "claude,codex,gemini,opencode,qwen,pi",
  turnsText = "32",
  sizes = "100x30,60x20",
  kinds = "record,screen",
] = process.argv;
const turns = Number(turnsText);

const code = ["```ts", "export function half(x: number): number {", "  return x / 2;", "}", "```"].join("\n");
const list = ["- first of the list", "- second of the list", "  - inside of it", "- third of the list"].join("\n");
const table = ["| name | value |", "| --- | --- |", "| one | 1 |", "| two | 2 |"].join("\n");
const blocks = [code, list, table, "The same words as before, nothing else."];

interface Said {
  readonly prompt: string;
  readonly answer: string;
}

/** Of four turns two say nothing that was not said before. */
function saidIn(turn: number): Said {
  const block = blocks[turn % blocks.length] ?? "";
  if (turn % 4 === 1) return { prompt: "please go on", answer: `Here it is again.\n\n${block}` };
  if (turn % 4 === 3) return { prompt: "please show it again", answer: block };
  return {
    prompt: `please do step ${turn} of the work`,
    answer: `Step ${turn} is done.\n\n${block}\n\nThat was step ${turn}.`,
  };
}

const ink = (text: string): string => text.replaceAll(/^\s*```\w*$/gm, "").replaceAll(/[^\p{L}\p{N}]+/gu, "");

interface Score {
  readonly exact: number;
  readonly same: number;
  /** Missing, and nothing says so. */
  readonly silent: number;
  readonly outOfOrder: number;
  readonly extra: number;
}

/** `exact`: the very text; `same`: its letters, as a renderer leaves them. Each is looked for behind the one before. */
function scoreOf(truth: readonly string[], shown: readonly ChatMessage[]): Score {
  let next = 0;
  const others = new Set(shown.keys());
  let [exact, same, silent, outOfOrder] = [0, 0, 0, 0];
  for (const text of truth) {
    const at = shown.findIndex((message, index) => index >= next && ink(message.text) === ink(text));
    if (at === -1) {
      if (shown.slice(0, next).some((message) => ink(message.text) === ink(text))) outOfOrder += 1;
      if (!shown.some(({ isIncomplete }) => isIncomplete)) silent += 1;
      console.log(
        `  missing ${JSON.stringify(text.slice(0, 80))}; next is ${JSON.stringify(shown[next]?.text.slice(0, 80))}`,
      );
      continue;
    }
    same += 1;
    others.delete(at);
    if (shown[at]?.text.trim() === text.trim()) exact += 1;
    next = at + 1;
  }
  for (const at of others)
    console.log(`  more, by the ${shown[at]?.source}: ${JSON.stringify(shown[at]?.text.slice(0, 80))}`);
  return { exact, same, silent, outOfOrder, extra: shown.length - same };
}

async function runOne(agent: InstalledAgent, size: string, kind: string): Promise<void> {
  const [columns = 100, rows = 30] = size.split("x").map(Number);
  const said = Array.from({ length: turns }, (_, turn) => saidIn(turn));
  const scenario = {
    turns: said.map(({ answer }) => ({ say: answer, when: { tools: true } })),
    fallback: { say: "No more." },
  };
  const begunMs = performance.now();
  await using live = await LiveAgent.start(agent, scenario, {
    columns,
    rows,
    daemon: async () => await configuredDaemon({ transcripts: { follow: kind === "record" } }),
  });
  for (const { prompt } of said) {
    const receipt = await live.prompt(prompt, { literal: true });
    if (receipt.state !== "done") console.log(`  ${receipt.state}: ${receipt.reason}`);
  }
  await live.daemon.call("sessions.wait", {
    session: live.session,
    for: { type: "quiet", quietMs: 4000 },
    timeoutMs: 8000,
  });
  const messages = await live.wholeMessages("user", "assistant");
  for (const role of ["user", "assistant"] as const) {
    const truth = said.map(({ answer, prompt }) => (role === "user" ? prompt : answer));
    const own = messages.filter((message) => message.role === role);
    const { exact, same, silent, outOfOrder, extra } = scoreOf(truth, own);
    const recorded = own.filter(({ source }) => source === "record").length;
    console.log(
      `${agent.name} ${agent.version} ${size} ${kind} ${role}: of ${turns} ${exact} exact, ${same} the same letters, ` +
        `${silent} silently lost, ${outOfOrder} out of order, ${extra} more; ${recorded} from the record`,
    );
  }
  for (const problem of [...live.daemon.problems, ...live.daemon.errors]) console.log(`  ${String(problem)}`);
  console.log(`  ${((performance.now() - begunMs) / 1000).toFixed(0)} s`);
}

for (const name of names.split(",") as AgentName[]) {
  const agent = await installedAgent(name);
  for (const size of sizes.split(",")) for (const kind of kinds.split(",")) await runOne(agent, size, kind);
}
