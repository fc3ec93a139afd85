import type { Check } from "../check.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "Check the installation and print what to do about problems",
  details: [
    "Checks directories, token, daemon, hosts, terminal, disk, clock, audit log, agents, sandbox,",
    "configuration, and the service. Starts and changes nothing.",
    "Exits with 1 if a check failed.",
  ],
  arguments: [],
  options: { json: jsonOption },
  examples: ["lectern doctor", "lectern doctor --json"],
  async run({ options }, context) {
    const { runChecks } = await import("../checks.ts");
    const checks = await runChecks(context);
    if (options.json) await context.print(JSON.stringify({ checks }));
    else for (const check of checks) await printCheck(check, context);
    return checks.some(({ status }) => status === "fail") ? 1 : 0;
  },
});

async function printCheck({ status, name, message, next }: Check, context: CliContext): Promise<void> {
  const { style } = context;
  const colour = ({ ok: "green", warn: "yellow", fail: "red" } as const)[status];
  await context.print(`${style[colour](status.padEnd(4))}  ${name.padEnd(18)} ${escapeForDisplay(message)}`);
  if (next !== undefined) await context.print(`      ${" ".repeat(18)} ${style.dim(`-> ${escapeForDisplay(next)}`)}`);
}
