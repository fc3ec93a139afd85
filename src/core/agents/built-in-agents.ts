/** The agents that are part of the package, the most particular first. */
import type { Agent } from "./agent.ts";
import { claude } from "./profiles/claude.ts";
import { cline } from "./profiles/cline.ts";
import { codex } from "./profiles/codex.ts";
import { copilot } from "./profiles/copilot.ts";
import { gemini } from "./profiles/gemini.ts";
import { opencode } from "./profiles/opencode.ts";
import { pi } from "./profiles/pi.ts";
import { AgentRegistry } from "./registry.ts";
import { aider, amazonQ, amp, auggie, cursorAgent, goose } from "./profiles/published.ts";
import { qwen } from "./profiles/qwen.ts";

const list: readonly Agent[] = [
  claude,
  codex,
  gemini,
  opencode,
  qwen,
  pi,
  cline,
  copilot,
  aider,
  goose,
  amp,
  cursorAgent,
  amazonQ,
  auggie,
];

export const builtInAgents: AgentRegistry = new AgentRegistry(list);
