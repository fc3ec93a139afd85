/** All agents that are known, the most particular first. */
import type { AgentProfile } from "./profile.ts";
import { claude } from "./profiles/claude.ts";
import { cline } from "./profiles/cline.ts";
import { codex } from "./profiles/codex.ts";
import { copilot } from "./profiles/copilot.ts";
import { gemini } from "./profiles/gemini.ts";
import { opencode } from "./profiles/opencode.ts";
import { pi } from "./profiles/pi.ts";
import { aider, amazonQ, amp, auggie, cursorAgent, goose } from "./profiles/published.ts";
import { qwen } from "./profiles/qwen.ts";

export const agentProfiles: readonly AgentProfile[] = [
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

const byName = new Map(agentProfiles.map((profile) => [profile.name, profile]));

/** Undefined for a shell, an unknown program and null. */
export function profileOf(agent: string | null): AgentProfile | undefined {
  return agent === null ? undefined : byName.get(agent);
}
