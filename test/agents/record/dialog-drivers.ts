/** Claude Code, Codex, Gemini CLI and pi, each also in its other mode and with the question whether a folder is trusted. */
import type { AgentDriver } from "./agent-drivers.ts";

const shows =
  (pattern: RegExp) =>
  (rows: readonly string[]): boolean =>
    rows.some((row) => pattern.test(row));

const claude: AgentDriver = {
  agent: "claude",
  command: "claude",
  tools: () => ({
    shell: (command) => ({ name: "Bash", arguments: { command, description: "Runs a command" } }),
    read: (path) => ({ name: "Read", arguments: { file_path: path } }),
    write: (path, content) => ({ name: "Write", arguments: { file_path: path, content } }),
    clear: "/clear",
    resume: "claude --continue",
    planKeys: ["\u001B[Z\u001B[Z", "\u001B[Z"],
  }),
  isReady: shows(/^❯(?!\s\d\.)/u),
  asks: ({ name }) => name === "Bash" || name === "Write",
  dialog: /Do you want to/,
  approveKeys: ["\r"],
  alwaysKeys: ["2"],
  denyKeys: ["\u001B"],
  interruptKeys: ["\u001B"],
  exit: "/exit",
};

const codex: AgentDriver = {
  agent: "codex",
  command: "codex",
  tools: () => ({
    shell: (command) => ({
      name: "exec_command",
      arguments: { cmd: command, sandbox_permissions: "require_escalated", justification: "It is outside" },
    }),
    read: (path) => ({ name: "exec_command", arguments: { cmd: `cat ${path}` } }),
    write: (path, content) => ({
      name: "exec_command",
      arguments: {
        cmd: `printf '${content.replaceAll("\n", "\\n")}' > ${path}`,
        sandbox_permissions: "require_escalated",
        justification: "It writes a file",
      },
    }),
    clear: "/clear",
    resume: "codex resume --last",
    planKeys: ["\u001B[Z", "\u001B[Z"],
    help: "/status",
  }),
  isReady: shows(/^›(?!\s\d)/u),
  asks: ({ arguments: words }) => JSON.stringify(words).includes("require_escalated"),
  dialog: /Press enter to confirm/,
  approveKeys: ["\r"],
  alwaysKeys: ["p"],
  denyKeys: ["\u001B"],
  interruptKeys: ["\u001B"],
  exit: "/exit",
};

const gemini: AgentDriver = {
  agent: "gemini",
  command: "gemini",
  tools: () => ({
    shell: (command) => ({ name: "run_shell_command", arguments: { command, description: "Runs a command" } }),
    read: (path) => ({ name: "read_file", arguments: { file_path: path } }),
    write: (path, content) => ({ name: "write_file", arguments: { file_path: path, content } }),
    clear: "/clear",
    resume: "gemini --resume latest",
    planKeys: ["\u001B[Z\u001B[Z", "\u001B[Z"],
  }),
  isReady: shows(/> {1,3}Type your message/),
  asks: ({ name }) => name === "run_shell_command" || name === "write_file",
  dialog: /Allow execution|Apply this change/,
  approveKeys: ["\r"],
  alwaysKeys: ["2"],
  denyKeys: ["\u001B"],
  interruptKeys: ["\u001B"],
  exit: "/quit",
};

const pi: AgentDriver = {
  agent: "pi",
  command: "pi",
  tools: () => ({
    shell: (command) => ({ name: "bash", arguments: { command } }),
    read: (path) => ({ name: "read", arguments: { path } }),
    write: (path, content) => ({ name: "write", arguments: { path, content } }),
    clear: "/new",
    resume: "pi --continue",
    help: "/model",
  }),
  isReady: shows(/\d\.\d%\/[\d.]+[kM]/),
  asks: () => false,
  dialog: /$^/,
  approveKeys: [],
  denyKeys: [],
  interruptKeys: ["\u001B"],
  exit: "/quit",
};

const trusting = (isShown: RegExp, keys = "\r"): Pick<AgentDriver, "startKeys"> => ({
  startKeys: { name: "trust", isShown: shows(isShown), keys, decision: "approve" },
});

export const dialogDrivers: Readonly<Record<string, AgentDriver>> = {
  claude,
  "claude-inline": { ...claude, environment: () => ({ CLAUDE_CODE_DISABLE_ALTERNATE_SCREEN: "1" }) },
  // Inside of tmux, whose server ends with it.
  "claude-tmux": { ...claude, command: "tmux -S ../tmp/tmux -f /dev/null new claude", program: "claude" },
  // Typed at a shell inside of tmux, which ends behind it.
  "claude-in-tmux": {
    ...claude,
    command: "tmux -S ../tmp/tmux -f /dev/null new bash --norc",
    program: "claude",
    startKeys: { name: "tmux", isShown: shows(/^\[0\] 0:bash/), keys: "claude\r" },
    exit: "/exit\rexit",
  },
  "claude-trust": {
    ...claude,
    files: {
      ".claude.json": {
        hasCompletedOnboarding: true,
        theme: "dark",
        customApiKeyResponses: { approved: ["0123456789abcdefghij0123456789".slice(-20)], rejected: [] },
      },
    },
    ...trusting(/Yes, I trust/, "\u001B[B\r"),
  },
  codex,
  "codex-inline": { ...codex, command: "codex --no-alt-screen" },
  gemini,
  "gemini-trust": {
    ...gemini,
    files: {
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" }, folderTrust: { enabled: true } },
        general: { disableAutoUpdate: true, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        ide: { hasSeenNudge: true },
        model: { name: "gemini-2.5-pro" },
      },
    },
    ...trusting(/Do you trust/),
  },
  pi,
};
