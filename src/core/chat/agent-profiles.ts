/** How the screens of all agents are read. */
import type { ChatProfile } from "./profile.ts";
import { claude } from "./profiles/claude.ts";
import { cline } from "./profiles/cline.ts";
import { copilot } from "./profiles/copilot.ts";
import { codex } from "./profiles/codex.ts";
import { generic, genericPrefix } from "./profiles/generic.ts";
import { gemini } from "./profiles/gemini.ts";
import { opencodeMini } from "./profiles/opencode-mini.ts";
import { opencode } from "./profiles/opencode.ts";
import { pi } from "./profiles/pi.ts";
import { qwen } from "./profiles/qwen.ts";

const profiles: Readonly<Record<string, ChatProfile>> = {
  claude,
  cline,
  codex,
  copilot,
  gemini,
  opencode,
  "opencode-mini": opencodeMini,
  pi,
  qwen,
};

/** The profile by its own name; undefined where there is none. */
export function profileNamed(name: string): ChatProfile | undefined {
  if (Object.hasOwn(profiles, name)) return profiles[name];
  return name.startsWith(genericPrefix) ? generic(name.slice(genericPrefix.length)) : undefined;
}

/** How the agent's screen is read; `command` is the line that started it, where that is known. */
export function profileOfAgent(agent: string, command: string): ChatProfile {
  if (agent === "opencode" && /\s--mini\b/.test(command)) return opencodeMini;
  return profileNamed(agent) ?? generic(agent);
}
