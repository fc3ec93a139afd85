/** Which tests need which programs of the system. `scripts/system-packages` installs them. */
import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** For each program the files that start it. A test file needs what it starts itself and what its support does. Benchmarks alone use a program without files. */
export const needsTable: Readonly<Record<string, readonly string[]>> = {
  bc: ["test/e2e/foreground.test.ts", "test/e2e/repl-questions.test.ts"],
  bwrap: [
    "src/daemon/network/forwarder.test.ts",
    "src/daemon/sandbox/backend.test.ts",
    "test/e2e/failed-starts.test.ts",
    "test/e2e/resume-settings.test.ts",
    "test/e2e/sandbox-agents.test.ts",
    "test/e2e/sandbox-network.test.ts",
    "test/e2e/sandbox-plants.test.ts",
    "test/e2e/sandbox-ways.test.ts",
    "test/e2e/sandbox.test.ts",
    "test/e2e/tasks-sandbox.test.ts",
    "test/e2e/transcripts.test.ts",
    "test/e2e/unfinished-starts.test.ts",
    "test/effects/tracing-box.ts",
    "test/support/shell-box.ts",
    "test/web/sandbox.test.ts",
  ],
  chromium: ["test/web/whole-browser.ts"],
  "chromium-headless-shell": ["test/web/web-home.ts"],
  fish: [
    "src/cli/completion-scripts.test.ts",
    "src/machines/remote-daemon.test.ts",
    "src/terminal/act-fish.test.ts",
    "src/terminal/hand-over.test.ts",
    "src/terminal/shell-integration.test.ts",
    "src/terminal/shell-themes.test.ts",
    "test/e2e/foreground.test.ts",
    "test/e2e/terminal-bad-input.test.ts",
    "test/e2e/terminal-repls.test.ts",
  ],
  gcc: [],
  gdb: [
    "test/e2e/foreground.test.ts",
    "test/e2e/repl-bytes.test.ts",
    "test/e2e/repl-questions.test.ts",
    "test/e2e/terminal-repls.test.ts",
  ],
  htop: ["test/e2e/foreground.test.ts"],
  irb: ["test/e2e/repl-bytes.test.ts"],
  less: ["test/e2e/files.test.ts", "test/e2e/foreground.test.ts", "test/e2e/terminal-bad-input.test.ts"],
  mandoc: ["test/shipping.test.ts"],
  mypy: ["test/e2e/python.test.ts"],
  nano: ["test/e2e/foreground.test.ts"],
  "nats-server": ["test/support/nats-servers.ts"],
  // Modules of Python.
  pexpect: [],
  pip: ["test/e2e/python.test.ts"],
  setuptools: ["test/e2e/python.test.ts"],
  wheel: ["test/e2e/python.test.ts"],
  openssl: ["test/support/nats-servers.ts", "test/support/test-certificate.ts"],
  postgres: ["test/support/postgres-server.ts"],
  promtool: ["test/e2e/metrics.test.ts", "test/metrics-docs.test.ts"],
  python3: [
    "src/terminal/shell-integration.test.ts",
    "test/e2e/cli-attach.test.ts",
    "test/e2e/exec.test.ts",
    "test/e2e/foreground.test.ts",
    "test/e2e/line-agents.test.ts",
    "test/e2e/mcp.test.ts",
    "test/e2e/prompts.test.ts",
    "test/e2e/python.test.ts",
    "test/e2e/question-readers.test.ts",
    "test/e2e/repl-bytes.test.ts",
    "test/e2e/repl-questions.test.ts",
    "test/e2e/repl-timers.test.ts",
    "test/e2e/sandbox-ways.test.ts",
    "test/e2e/terminal-bad-input.test.ts",
    "test/e2e/terminal-repls.test.ts",
    "test/pty-contract.test.ts",
  ],
  script: ["test/e2e/foreground.test.ts", "test/e2e/terminal-bad-input.test.ts"],
  sqlite3: [
    "test/e2e/foreground.test.ts",
    "test/e2e/repl-bytes.test.ts",
    "test/e2e/repl-questions.test.ts",
    "test/e2e/terminal-repls.test.ts",
  ],
  ssh: ["test/support/ssh-server.ts"],
  sshd: ["test/support/ssh-server.ts"],
  strace: ["test/effects/tracing-box.ts"],
  "systemd-analyze": ["src/cli/service/unit.test.ts", "test/cluster-refusals.test.ts"],
  tmux: ["test/e2e/foreground.test.ts", "test/e2e/sandbox-ways.test.ts"],
  top: ["test/e2e/foreground.test.ts"],
  vim: ["test/e2e/foreground.test.ts", "test/e2e/terminal-bad-input.test.ts"],
  zsh: [
    "src/cli/completion-scripts.test.ts",
    "src/machines/remote-daemon.test.ts",
    "src/terminal/act-zsh.test.ts",
    "src/terminal/hand-over.test.ts",
    "src/terminal/shell-integration.test.ts",
    "src/terminal/shell-themes.test.ts",
    "test/e2e/foreground.test.ts",
    "test/e2e/terminal-bad-input.test.ts",
    "test/e2e/terminal-repls.test.ts",
  ],
};

const posix = (path: string): string => path.split(sep).join("/");

/** Each file of the tests with those below `test/` that it imports. */
function importsOfTests(): Map<string, string[]> {
  const files = globSync(["test/**/*.ts", "src/**/*.test.ts"], { cwd: root }).map(posix);
  return new Map(
    files.map((file) => {
      const specifiers = readFileSync(join(root, file), "utf8").matchAll(/(?:from|import|import\() ?"(\.[^"]+\.ts)"/g);
      return [file, [...specifiers].map(([, path = ""]) => posix(relative(root, resolve(root, dirname(file), path))))];
    }),
  );
}

let imports: Map<string, string[]> | undefined;

/** The test files that are one of the files or import one, through any number of others. */
export function filesThatUse(anchors: readonly string[]): ReadonlySet<string> {
  imports ??= importsOfTests();
  const found = new Set(anchors.filter((anchor) => imports?.has(anchor)));
  // The set grows while it is read.
  for (const used of found) for (const [file, all] of imports) if (all.includes(used)) found.add(file);
  return new Set([...found].filter((file) => file.endsWith(".test.ts")));
}

/** Programs that are not installed. */
export function missingPrograms(): string[] {
  const text = execFileSync("bash", [join(root, "scripts/system-packages"), "--list"], { encoding: "utf8" });
  return text
    .split("\n")
    .flatMap((line) => line.split(" ").slice(0, 1))
    .filter((name) => name !== "");
}
