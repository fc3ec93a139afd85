/**
 * Calls whose text is read by something else than a new shell: a program in another language, often one that calls the agent's other tools
 * without a word to the model's server, or keys for a program that runs already, which may be a shell.
 */
import { stringAt } from "./pointers.ts";
import type { JudgedCall } from "./tool-call.ts";

interface ProgramTool {
  readonly tool: readonly string[];
  /** Where such a text may be; the first that is there and not empty counts. */
  readonly texts: readonly (readonly string[])[];
}

/** Tools of known agents. */
const programTools: readonly ProgramTool[] = [
  // JavaScript: Codex (all of the arguments) and Qwen Code.
  { tool: ["exec", "js_repl"], texts: [[], ["source"], ["code"]] },
  // JavaScript: Claude Code and opencode.
  { tool: ["REPL", "Eval", "AppifactRepl", "execute"], texts: [["code"]] },
  // JavaScript that starts agents: Claude Code and Qwen Code. A name is that of a saved one.
  { tool: ["Workflow", "RunWorkflow", "workflow"], texts: [["script"], ["scriptPath"], ["name"]] },
  // Another shell language: Claude Code, pi and Copilot CLI.
  { tool: ["PowerShell", "powershell"], texts: [["command"]] },
  // Keys for a running program: Codex, and Copilot CLI. Without keys Codex only waits.
  { tool: ["write_stdin"], texts: [["chars"]] },
  { tool: ["write_bash", "write_shell", "write_powershell"], texts: [["input"]] },
  // Another tool: Qwen Code.
  { tool: ["tool_call"], texts: [["name"]] },
];

export const knownProgramToolNames = (): readonly string[] => programTools.flatMap(({ tool }) => tool);

/** The text; undefined for other calls. */
export function calledProgram(call: Pick<JudgedCall, "name" | "arguments">): string | undefined {
  const known = programTools.find(({ tool }) => tool.includes(call.name));
  const texts = (known?.texts ?? []).map((pointer) => stringAt(call.arguments, pointer));
  return texts.find((text) => text !== undefined && text !== "");
}
