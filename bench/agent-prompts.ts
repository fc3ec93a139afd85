/**
 * Prompts with hostile characters into real agents against the scripted model. Counts those that the model was given exactly, those that
 * were changed, lost, doubled or glued to another text, and drafts of a person that were touched: all but the first must be 0.
 *
 *   node bench/agent-prompts.ts [agents=claude,codex,gemini,opencode,qwen,pi] [columns=100]
 */
import { setTimeout as sleep } from "node:timers/promises";
import { installedAgent, type AgentName } from "../test/agents/installed-agents.ts";
import { LiveAgent } from "../test/agents/live-agent.ts";
import type { ScriptedModel } from "../test/support/scripted-model/scripted-model.ts";

const agents = (process.argv[2] ?? "claude,codex,gemini,opencode,qwen,pi").split(",") as AgentName[];
const columns = Number(process.argv[3] ?? 100);
const SETTLE_MS = 300;

const characters = ["?", "/", "!", "@", "#", "$", "&", "~", "\\"] as const;
const twentyLines = Array.from({ length: 20 }, (_, index) => `line ${index + 1} of a list`);

/** `mark` is in one prompt only. */
const texts: readonly ((mark: string) => string)[] = [
  ...characters.map((character) => (mark: string) => `${character} is how ${mark} begins`),
  ...characters.map((character) => (mark: string) => `${character}${mark} has it in front`),
  ...characters.map((character) => (mark: string) => `this is ${mark} with ${character} and a${character}b inside`),
  (mark) => `${mark} has\ta tab\tor two`,
  (mark) => `${mark} is a list:\n${twentyLines.join("\n")}`,
  (mark) => `? ${mark}\n\n\tindented by a tab\n! and a line\n@ and another\n\nthe end`,
  (mark) => `👍 ${mark} has 👩‍👩‍👧 and 🇫🇷 and ❤️ and é`,
  (mark) => `${mark} ends in a question?`,
  (mark) => `${mark} ends in a backslash \\`,
  (mark) => `你好 ${mark} 世界 こんにちは`,
];

const drafts = [
  "a draft",
  "? a draft",
  "two\nlines",
  "/",
  "!ls",
  "@src",
  "👍",
  "a long draft ".repeat(12).trim(),
  "ok",
];

/** Every text below a value. */
function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(leaves);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [];
}

interface Counts {
  exact: number;
  /** Exact, but for tabs that the agent has turned into blanks. */
  tabs: number;
  wrong: number;
}

/** The texts that the model was given last, with those before; empty if it was asked nothing since `first`. */
function givenSince(model: ScriptedModel, first: number): string[] {
  const asked = model.turnRequests().slice(first);
  const body = asked.findLast(({ turn }) => turn?.tools)?.body;
  return leaves(body?.["messages"] ?? body?.["input"] ?? body?.["contents"] ?? body?.["request"] ?? []);
}

async function promptAll(agent: LiveAgent, name: string, counts: Counts): Promise<void> {
  for (const [index, textOf] of texts.entries()) {
    const mark = `mark${index}x`;
    const text = textOf(mark);
    const first = agent.model.turnRequests().length;
    const receipt = await agent
      .prompt(text, { literal: true })
      .catch((error: Error) => ({ state: "refused", reason: error.message }));
    await sleep(SETTLE_MS);
    const given = givenSince(agent.model, first).filter((leaf) => leaf.includes(mark));
    // A blank beside it says that it is not a command. Claude Code puts a long paste between tags.
    const plain = new Set(
      given.map((leaf) => leaf.replace(/^\s*<pasted_content[^>]*>\n([^]*)\n<\/pasted_content[^>]*>\s*$/, "$1").trim()),
    );
    if (receipt.state === "done" && given.length === 1 && plain.has(text.trim())) {
      counts.exact += 1;
      continue;
    }
    // Nothing can be done about an agent that takes no tabs.
    if (receipt.state === "done" && given.length === 1 && plain.has(text.replaceAll("\t", "    "))) {
      counts.tabs += 1;
      continue;
    }
    counts.wrong += 1;
    const shown = given.map((leaf) => JSON.stringify(leaf.slice(0, 300))).join(" | ");
    console.log(
      `${name}: ${JSON.stringify(text)} is ${receipt.state} (${receipt.reason ?? ""}); given: ${shown || "nothing"}`,
    );
    if (shown === "") console.log((await agent.screen()).trimEnd().replaceAll(/^/gm, "    | "));
    await agent.daemon.call("sessions.keys", { session: agent.session, keys: ["Escape"] });
    await sleep(3500);
  }
}

/** How much was typed into the session, by anybody. */
async function inputsOf({ daemon, session }: LiveAgent): Promise<number> {
  const records = await daemon.recordsOf(session);
  return records.filter(({ type }) => type === "input").length;
}

async function draftAll(agent: LiveAgent, name: string, counts: Counts): Promise<void> {
  const { daemon, session } = agent;
  for (const [index, draft] of drafts.entries()) {
    const first = agent.model.turnRequests().length;
    await daemon.call("sessions.input", { session, text: draft, paste: true });
    await sleep(1500);
    const before = await inputsOf(agent);
    const refused = await agent.prompt(`prompt${index} for a box with a draft`).then(
      ({ state, reason }) => `${state}: ${reason}`,
      (error: Error & { code?: string }) => (error.code === "CONFLICT" ? null : error.message),
    );
    await sleep(SETTLE_MS);
    const isSame = (await inputsOf(agent)) === before;
    const given = givenSince(agent.model, first);
    if (refused === null && isSame && given.length === 0) counts.exact += 1;
    else {
      counts.wrong += 1;
      console.log(
        `${name}: draft ${JSON.stringify(draft)}: ${refused}, untouched ${isSame}, given ${JSON.stringify(given.slice(-1))}`,
      );
      console.log((await agent.screen()).trimEnd().replaceAll(/^/gm, "    | "));
    }
    for (let press = 0; press < 4; press += 1) {
      await daemon.call("sessions.keys", { session, keys: ["C-e", "C-u"] });
      await sleep(150);
    }
    await sleep(3200);
  }
}

for (const name of agents) {
  const started = performance.now();
  const installed = await installedAgent(name);
  await using agent = await LiveAgent.start(
    installed,
    { turns: [], fallback: { say: "Understood." } },
    { columns, rows: 30 },
  );
  // On a busy machine an agent may take the answer to a query for keys.
  await agent.daemon.call("sessions.keys", { session: agent.session, keys: ["C-e", "C-u"] });
  await sleep(3500);
  const [prompts, untouched] = [
    { exact: 0, tabs: 0, wrong: 0 },
    { exact: 0, tabs: 0, wrong: 0 },
  ];
  await promptAll(agent, name, prompts);
  await draftAll(agent, name, untouched);
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  console.log(
    `${name} ${installed.version}: ${prompts.exact} of ${texts.length} prompts exact (and ${prompts.tabs} but for tabs), ` +
      `${untouched.exact} of ${drafts.length} drafts untouched, ${seconds} s`,
  );
  for (const error of agent.daemon.errors) console.log(`${name}: ${String(error)}`);
}
