/**
 * Prompts with hostile characters into real agents against the scripted model: what the model was given of each, and whether drafts of a
 * person stay as they were.
 *
 *   node bench/agent-prompts.ts [agents=claude,codex,gemini,opencode,qwen,pi] [columns=100]
 */
import type { Receipt } from "../src/core/acting/receipt.ts";
import { installedAgent, type AgentName, type InstalledAgent } from "../test/agents/installed-agents.ts";
import { LiveAgent } from "../test/agents/live-agent.ts";
import type { ScriptedModel } from "../test/support/scripted-model/scripted-model.ts";

const agents = (process.argv[2] ?? "claude,codex,gemini,opencode,qwen,pi").split(",") as AgentName[];
const columns = Number(process.argv[3] ?? 100);

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

/**
 * - `exact`: the model was given the text once, and nothing else with it
 * - `blanks`: exact, but for blanks that the agent itself has changed, such as tabs
 * - `refused`: with a reason, and nothing stands in the box
 * - `lost`: the model was given nothing, and nobody said so
 * - `glued`: it was given something else with it, or it twice
 */
type Outcome = "exact" | "blanks" | "refused" | "lost" | "glued";

/** The texts that the model was given last, with those before; empty if it was asked nothing since `first`. */
function givenSince(model: ScriptedModel, first: number): string[] {
  const asked = model.turnRequests().slice(first);
  const body = asked.findLast(({ turn }) => turn?.tools)?.body;
  return leaves(body?.["messages"] ?? body?.["input"] ?? body?.["contents"] ?? body?.["request"] ?? []);
}

/** A blank beside it says that it is not a command. Claude Code puts a long paste between tags, Copilot CLI the time in front. */
const bare = (leaf: string): string =>
  leaf
    .replace(/^<current_datetime>[^<]*<\/current_datetime>\n\n/, "")
    .replace(/^\s*<pasted_content[^>]*>\n([^]*)\n<\/pasted_content[^>]*>\s*$/, "$1")
    .trim();

const ink = (text: string): string => text.replaceAll(/\s+/g, "");

type Ended = Pick<Receipt, "state" | "reason" | "left">;

function outcomeOf(text: string, { state, reason, left }: Ended, given: readonly string[]): Outcome {
  if (given.length === 0) return state === "failed" && reason !== null && left === undefined ? "refused" : "lost";
  const [only = "", ...others] = given.map(bare);
  if (state !== "done" || others.length > 0) return "glued";
  if (only === text.trim()) return "exact";
  return ink(only) === ink(text) ? "blanks" : "glued";
}

/** Prompts it, and says what came of it and why. */
async function promptOne(agent: LiveAgent, text: string, mark: string): Promise<{ outcome: Outcome; why: string }> {
  const first = agent.model.turnRequests().length;
  const ended: Ended = await agent
    .prompt(text, { literal: true })
    .catch((error: Error) => ({ state: "failed", reason: error.message }));
  const given = givenSince(agent.model, first).filter((leaf) => leaf.includes(mark));
  const outcome = outcomeOf(text, ended, given);
  const shown = given.map((leaf) => JSON.stringify(leaf.slice(0, 300))).join(" | ");
  return {
    outcome,
    why: `${ended.state} (${ended.reason ?? ""}), left ${ended.left ?? "nothing"}, given ${shown || "nothing"}`,
  };
}

async function promptAll(started: Started): Promise<Readonly<Record<Outcome, number>>> {
  const counts = { exact: 0, blanks: 0, refused: 0, lost: 0, glued: 0 };
  for (const [index, textOf] of texts.entries()) {
    const mark = `mark${index}x`;
    const agent = await started.agent();
    const { outcome, why } = await promptOne(agent, textOf(mark), mark);
    counts[outcome] += 1;
    if (outcome === "exact" || outcome === "blanks") continue;
    console.log(`${started.name}: ${JSON.stringify(textOf(mark))} is ${outcome}: ${why}`);
    if (outcome === "refused") continue;
    console.log((await agent.screen()).trimEnd().replaceAll(/^/gm, "    | "));
    // What stands there would be counted against the next one as well.
    await started.end();
  }
  return counts;
}

/** How much was typed into the session, by anybody. */
async function inputsOf({ daemon, session }: LiveAgent): Promise<number> {
  const records = await daemon.recordsOf(session);
  return records.filter(({ type }) => type === "input").length;
}

/** How many drafts a prompt left as they were. */
async function draftAll(started: Started): Promise<number> {
  let untouched = 0;
  for (const [index, draft] of drafts.entries()) {
    const agent = await started.agent();
    const { daemon, session } = agent;
    const first = agent.model.turnRequests().length;
    await draw(agent, () => daemon.call("sessions.input", { session, text: draft, paste: true }));
    const before = await inputsOf(agent);
    const refused = await agent.prompt(`prompt${index} for a box with a draft`).then(
      ({ state, reason }) => (state === "failed" ? null : `${state}: ${reason}`),
      (error: Error & { code?: string }) => (error.code === "CONFLICT" ? null : error.message),
    );
    const isSame = (await inputsOf(agent)) === before;
    const given = givenSince(agent.model, first);
    if (refused === null && isSame && given.length === 0) untouched += 1;
    else {
      const what = `${refused}, untouched ${isSame}, given ${JSON.stringify(given.slice(-1))}`;
      console.log(`${started.name}: draft ${JSON.stringify(draft)}: ${what}`);
      console.log((await agent.screen()).trimEnd().replaceAll(/^/gm, "    | "));
    }
    if (!(await isFreeAgain(agent, `after${index}x`))) await started.end();
  }
  return untouched;
}

/** Clears the draft, and a prompt is taken again, exactly. */
async function isFreeAgain(agent: LiveAgent, mark: string): Promise<boolean> {
  const { daemon, session } = agent;
  for (let press = 0; press < 4; press += 1) {
    await draw(agent, () => daemon.call("sessions.keys", { session, keys: ["C-e", "C-u"] }));
  }
  return (await promptOne(agent, `the next one is ${mark}`, mark)).outcome === "exact";
}

/** Types, and resolves when the agent has drawn something and then nothing for a moment. */
async function draw({ daemon, session }: LiveAgent, type: () => Promise<unknown>): Promise<void> {
  await type();
  await daemon.call("sessions.wait", { session, for: { type: "quiet", quietMs: 500 }, timeoutMs: 5000 });
}

/** One agent, started anew after each fault. */
class Started implements AsyncDisposable {
  readonly name: AgentName;
  readonly #installed: InstalledAgent;
  #agent: LiveAgent | undefined;

  constructor(installed: InstalledAgent) {
    this.name = installed.name;
    this.#installed = installed;
  }

  async agent(): Promise<LiveAgent> {
    const scenario = { turns: [], fallback: { say: "Understood." } };
    return (this.#agent ??= await LiveAgent.start(this.#installed, scenario, { columns, rows: 30 }));
  }

  async end(): Promise<void> {
    for (const error of this.#agent?.daemon.errors ?? []) console.log(`${this.name}: ${String(error)}`);
    await this.#agent?.[Symbol.asyncDispose]();
    this.#agent = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
  }
}

for (const name of agents) {
  const begunMs = performance.now();
  const installed = await installedAgent(name);
  await using started = new Started(installed);
  const { exact, blanks, refused, lost, glued } = await promptAll(started);
  const untouched = await draftAll(started);
  const seconds = ((performance.now() - begunMs) / 1000).toFixed(0);
  console.log(
    `${name} ${installed.version}: of ${texts.length} prompts ${exact} exact and ${blanks} but for blanks, ${refused} refused, ` +
      `${lost} lost, ${glued} glued; ${untouched} of ${drafts.length} drafts untouched; ${seconds} s`,
  );
}
