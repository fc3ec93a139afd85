/**
 * The animation of the README, `docs/images/tour.svg`: a shell in a session of one daemon, in which somebody uses another daemon. The agent draws a
 * recording of OpenCode again, from its start to its first question; all else is what the commands print.
 *
 *   npm run build && node scripts/record-tour.ts
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CliHome } from "../test/e2e/cli-home.ts";
import { lecternCommand } from "../test/support/launcher.ts";
import { writeRecordedAgent } from "../test/support/recorded-agent.ts";

const target = join(import.meta.dirname, "../docs/images/tour.svg");
const KEY_MS = 20;
const IDLE = "600ms";
const size = { columns: 92, rows: 19 };

await using outer = new CliHome();
await using inner = new CliHome();
writeRecordedAgent(inner.directory, {
  agent: "opencode",
  cast: "opencode-main-80x24.cast",
  fromS: 1.18,
  stopsS: [20.9],
  untilS: 26,
  stopKey: "\r",
});
await inner.ok("ls");

const { LECTERN_HOME: home, PATH: path } = inner.environment;
const startUp = join(outer.directory, "tour.bashrc");
writeFileSync(
  startUp,
  [
    `export LECTERN_HOME=${home} PATH=${path}`,
    "unset NO_COLOR",
    "PS1='\\[\\e[1;32m\\]$\\[\\e[0m\\] '",
    `lectern() { ${lecternCommand} "$@"; }`,
  ].join("\n"),
);
const session = "tour";
const place = ["--cols", `${size.columns}`, "--rows", `${size.rows}`, "--cwd", inner.directory];
await outer.ok("run", "-d", "--name", session, ...place, "--", "bash", "--noprofile", "--rcfile", startUp);
const shellIsReady = () => outer.ok("wait", session, "--for", "ready");
await shellIsReady();

async function type(line: string): Promise<void> {
  for (const text of line) {
    await outer.client.call("sessions.input", { session, text });
    await new Promise((resolve) => setTimeout(resolve, KEY_MS));
  }
  await outer.client.call("sessions.input", { session, enter: true });
  await shellIsReady();
}

await type("lectern run -d --name fix -- opencode");
await inner.ok("wait", "fix", "--for", "status:blocked");
await type("lectern ls");
await type("lectern approvals");
await type("kill -9 $(lectern info --json | jq .pid) # the daemon");
await type("lectern approve fix 1");
await inner.ok("wait", "fix", "--for", "status:waiting");
await type("lectern ls");
await outer.ok("export", session, "--format", "svg", "--idle-max", IDLE, "-o", target);
