/** The agents that are known, and every question about them: which one this is, and how its screen is read. */
import type { Frame } from "../screen/frame.ts";
import type { Agent } from "./agent.ts";
import { compileChat, type ChatRules } from "./chat-rules.ts";
import { agentInArguments, agentInCommandLine, programName } from "./command-line.ts";
import { screenRuleOf, titleRuleOf } from "./fitting-rule.ts";
import { findInputBox, lastRow } from "./input-box.ts";
import { nativePattern } from "./pattern.ts";

/** The rules for agents of which nothing particular is known. */
const genericName = "generic";
const noRules = compileChat({}, { name: "", agent: "", compile: nativePattern });

/**
 * The known agents.
 *
 * @example
 * ```ts
 * builtInAgents.named("codex")?.title; // "Codex"
 * ```
 */
export class AgentRegistry {
  /** The most particular first: the first agent that a rule recognises counts. */
  readonly agents: readonly Agent[];
  readonly #byName: ReadonlyMap<string, Agent>;
  /** The rules of `generic` under the names of agents that have none. */
  readonly #generic = new Map<string, ChatRules>();

  constructor(agents: readonly Agent[]) {
    this.agents = agents.filter(({ name }) => name !== genericName);
    this.#byName = new Map(agents.map((agent) => [agent.name, agent]));
  }

  /** Every name that `named` knows: those of the agents, and `generic`. */
  get names(): string[] {
    return [...this.agents.map(({ name }) => name), ...(this.#byName.has(genericName) ? [genericName] : [])];
  }

  /** Undefined for a shell, an unknown program and null. */
  named(name: string | null): Agent | undefined {
    return name === null ? undefined : this.#byName.get(name);
  }

  /**
   * The name of the agent whose conversation the command opens; null if it opens none (`claude -p`, `codex exec`, `ls`).
   *
   * @example
   * ```ts
   * builtInAgents.ofArguments(["npx", "-y", "@openai/codex@latest", "--no-alt-screen"]); // "codex"
   * ```
   */
  ofArguments(command: readonly string[]): string | null {
    return agentInArguments(command, { agents: this.agents, withBatch: false });
  }

  /** The name of the agent that the command starts in any mode, also to answer a single prompt (`claude -p "fix the tests"`). */
  anyOfArguments(command: readonly string[]): string | null {
    return agentInArguments(command, { agents: this.agents, withBatch: true });
  }

  /** Like `ofArguments` for a line typed at a shell; of several commands the last that opens a conversation counts. */
  ofCommandLine(line: string): string | null {
    return agentInCommandLine(line, { agents: this.agents, withBatch: false });
  }

  /** The agent that alone sets such a title. */
  ofTitle(title: string): Agent | undefined {
    return this.agents.find((agent) => titleRuleOf(agent, title, { identifies: true }) !== null);
  }

  /** The agent that reports its status under this name (OSC 7501). */
  ofStatusApp(app: string): Agent | undefined {
    return this.agents.find(({ statusApps }) => statusApps.includes(app));
  }

  /** By the file name of its program, with or without folder and ending. */
  ofProgram(program: string): Agent | undefined {
    const name = programName(program);
    return this.agents.find(({ commands }) => commands.includes(name));
  }

  /** The agent that alone shows this at a fixed place, and the text there. */
  onScreen(frame: Frame): { readonly agent: string; readonly text: string } | null {
    if (!hasFurniture(frame)) return null;
    for (const agent of this.agents) {
      if (!agent.screen.some(({ identifies }) => identifies)) continue;
      const box = findInputBox(frame.lines, agent.boxes);
      // A visible cursor under the box belongs to a shell: the agent has ended and left its last screen behind.
      if (box !== null && frame.cursor.isVisible && frame.cursor.row > box.bottom) continue;
      const found = screenRuleOf(agent, { lines: frame.lines, box }, { identifies: true });
      if (found !== null) return { agent: agent.name, text: found.text };
    }
    return null;
  }

  /** How the conversation with an agent is read; `command` is the line that started it, or "". */
  chatOf(name: string, command: string): ChatRules {
    const agent = this.named(name);
    const variant = agent?.variants.find((each) => each.command.test(command));
    return variant?.chat ?? agent?.chat ?? this.#genericChat(name);
  }

  /** By the name of the rules themselves, as checkpoints have it; those of `generic` for an agent that is not known any more. */
  chatNamed(name: string): ChatRules {
    for (const { chat, variants } of this.#byName.values()) {
      const found = [chat, ...variants.map((variant) => variant.chat)].find((rules) => rules?.name === name);
      if (found != null) return found;
    }
    return this.#genericChat(name);
  }

  #genericChat(agent: string): ChatRules {
    const known = this.#generic.get(agent);
    if (known !== undefined) return known;
    const chat = { ...(this.named(genericName)?.chat ?? noRules), name: agent, agent };
    this.#generic.set(agent, chat);
    return chat;
  }
}

/** What every agent shows in its last rows: an edge, a prompt mark or a bar of keys. A screen without it is not searched further. */
const furniture = /[─━▀▄╹╭╰┌└›❯]|ctrl\+p cmd|\/ commands/u;
const furnitureRows = 12;

function hasFurniture({ lines }: Frame): boolean {
  const end = lastRow(lines);
  return lines.slice(Math.max(0, end - furnitureRows), end + 1).some(({ text }) => furniture.test(text));
}
