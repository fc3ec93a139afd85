/** Agents that speak the Agent Client Protocol, without a network: their commands, and the tool call that each asks about. */
import { dirname } from "node:path";
import { AgentHome } from "../../test/agents/agent-home.ts";
import {
  installedAgent,
  installedProgram,
  type AgentName,
  type InstalledAgent,
} from "../../test/agents/installed-agents.ts";
import type { ScriptedCall } from "../../test/support/scripted-model/scenario.ts";

interface AcpProgram {
  readonly agent: AgentName;
  /** An adapter: its packages, and its command. Without it the agent speaks the protocol itself. */
  readonly adapter?: { readonly directory: string; readonly packages: readonly string[]; readonly command: string };
  readonly words: readonly string[];
  readonly call: (command: string) => ScriptedCall;
  /** It asks nobody before it runs a command. */
  readonly asksNothing?: true;
  /** In which it asks a person; default: the one in which it starts. */
  readonly mode?: string;
  readonly files?: (url: string) => Readonly<Record<string, object | string>>;
}

const described = (name: string) => (command: string) => ({ name, arguments: { command, description: "Makes it" } });

const codexFile = (url: string): string =>
  `model = "gpt-5"
model_provider = "scripted"
check_for_update_on_startup = false
[analytics]
enabled = false
[model_providers.scripted]
name = "Scripted"
base_url = "${url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
`;

export const acpPrograms: Readonly<Record<string, AcpProgram>> = {
  claude: {
    agent: "claude",
    adapter: {
      directory: "claude-acp-0.101.0",
      packages: ["@agentclientprotocol/claude-agent-acp@0.101.0"],
      command: "claude-agent-acp",
    },
    words: [],
    call: described("Bash"),
  },
  codex: {
    agent: "codex",
    adapter: {
      directory: "codex-acp-2.6.0",
      packages: ["@agentclientprotocol/codex-acp@2.6.0"],
      command: "codex-acp",
    },
    words: [],
    call: (command) => ({
      name: "exec_command",
      arguments: { cmd: command, sandbox_permissions: "require_escalated", justification: "It is needed" },
    }),
    mode: "workspace-write",
    files: (url) => ({ ".codex/config.toml": codexFile(url) }),
  },
  gemini: { agent: "gemini", words: ["--acp"], call: described("run_shell_command") },
  opencode: { agent: "opencode", words: ["acp"], call: described("bash") },
  qwen: {
    agent: "qwen",
    words: ["--acp"],
    call: (command) => ({
      name: "run_shell_command",
      arguments: { command, description: "Makes it", is_background: false },
    }),
  },
  copilot: { agent: "copilot", words: ["--acp"], call: described("bash") },
  pi: {
    agent: "pi",
    adapter: {
      directory: "pi-acp-0.0.34",
      packages: ["pi-acp@0.0.34", "@earendil-works/pi-coding-agent@0.87.1"],
      command: "pi-acp",
    },
    words: [],
    call: (command) => ({ name: "bash", arguments: { command } }),
    asksNothing: true,
  },
};

export interface AcpCommand extends Disposable {
  readonly command: readonly [string, ...string[]];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  readonly program: AcpProgram;
}

/** An agent in a home of its own, whose model is at this address. */
export async function acpCommand(name: string, modelUrl: string): Promise<AcpCommand> {
  const program = acpPrograms[name];
  if (program === undefined) throw new Error(`Unknown agent "${name}": one of ${Object.keys(acpPrograms).join(", ")}`);
  const { adapter, agent, words, files } = program;
  const path = adapter === undefined ? (await installedAgent(agent)).program : await installedProgram(adapter);
  const installed: InstalledAgent = { name: agent, version: "", program: path };
  const home = new AgentHome(installed, modelUrl);
  for (const [file, content] of Object.entries(files?.(modelUrl) ?? {})) home.write(file, content);
  const environment = home.environment();
  return {
    command: [path, ...words],
    environment: { ...environment, PATH: `${dirname(path)}:${environment["PATH"]}` },
    workingDirectory: home.workingDirectory,
    program,
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}
