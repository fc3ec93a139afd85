/** Makes the daemon a service of the user, which starts at the login and again after a crash. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { LecternError } from "../../core/errors.ts";
import { waits } from "../../core/waits.ts";
import { escapeForDisplay } from "../../core/text/escape.ts";
import { formatTable } from "../columns.ts";
import { defineCommand, jsonOption } from "../command.ts";
import type { CliContext } from "../context.ts";
import { stopDaemon } from "../../daemon/daemon-process.ts";
import { textInFile } from "../../host/json-file.ts";
import { factsOf } from "../service/installed.ts";
import { serviceManager, type ServiceManager, type ServiceState } from "../service/manager.ts";
import { isOwnFile } from "../service/unit.ts";

export const service = defineCommand({
  name: "service",
  summary: "Start the daemon at login, and again after a crash",
  details: [
    "install writes a unit for systemd (Linux) or launchd (macOS, untested), and starts the daemon; see docs/service.md.",
    "status shows whether it runs, and whether the paths in the unit are still those of Node and Lectern.",
    "uninstall stops the daemon and removes the unit. Programs of sessions keep running through each of these.",
  ],
  arguments: [{ name: "action", summary: "One of", count: "optional", choices: ["status", "install", "uninstall"] }],
  options: {
    "no-start": { type: "flag", summary: "install: do not start it before the next login" },
    json: jsonOption,
  },
  examples: ["lectern service install", "lectern service status", "lectern service uninstall"],
  async run({ arguments: { action = "status" }, options }, context) {
    if (options["no-start"] && action !== "install") throw new LecternError("USAGE", "--no-start is for install");
    const manager = serviceManager(context.environment);
    if (action === "install")
      return await install(manager, { start: !options["no-start"], json: options.json }, context);
    if (action === "uninstall") return await uninstall(manager, options.json, context);
    return await status(manager, options.json, context);
  },
});

async function install(
  manager: ServiceManager,
  { json, start }: { readonly json: boolean; readonly start: boolean },
  context: CliContext,
): Promise<number> {
  const { file } = manager;
  const before = textInFile(file);
  if (before !== undefined && !isOwnFile(before)) {
    throw new LecternError(
      "CONFLICT",
      `Cannot write "${file}": it exists, and Lectern has not written it; remove it first`,
    );
  }
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, manager.text(factsOf(context)), { mode: 0o644 });
  if (!(await manager.isRunning())) {
    context.note(
      `Wrote ${escapeForDisplay(file)}, but no service manager of this user answers here, so nothing was started`,
    );
    context.note(
      'In a login of this user with systemd, run "lectern service install" again; elsewhere "lectern up --detach"',
    );
    return 1;
  }
  if (start) await stopOther(manager, context);
  await manager.install({ start });
  if (start) await untilServing(manager, context);
  return await status(manager, json, context);
}

/** A daemon that a person has started keeps the one of the service from starting. */
async function stopOther(manager: ServiceManager, context: CliContext): Promise<void> {
  const client = await context.runningClient();
  const pid = client && (await client.call("daemon.info", {})).pid;
  if (client === undefined || pid === (await manager.state()).pid) return;
  await stopDaemon(client, context.paths, { programs: false });
  context.note(`Stopped the daemon of process ${pid}, which was not the service's; programs keep running`);
}

/** Resolves when the daemon of the service answers, has failed, or takes too long; the status then reports which. */
async function untilServing(manager: ServiceManager, context: CliContext): Promise<void> {
  for (const deadline = Date.now() + waits.startMs; Date.now() < deadline;) {
    const { failed, pid } = await manager.state();
    if (failed === true) return;
    const client = await context.runningClient();
    // One that has just ended answers no more.
    const info = await client?.call("daemon.info", {}).catch(() => undefined);
    if (info !== undefined && info.pid === pid) return;
    await delay(waits.checkMs, undefined, { signal: context.signal });
  }
}

async function uninstall(manager: ServiceManager, json: boolean, context: CliContext): Promise<void> {
  const before = textInFile(manager.file);
  if (before === undefined)
    throw new LecternError("NOT_FOUND", `The service is not installed: there is no "${manager.file}"`);
  if (!isOwnFile(before))
    throw new LecternError("CONFLICT", `Cannot remove "${manager.file}": Lectern has not written it`);
  const isRunning = await manager.isRunning();
  if (isRunning) await manager.remove();
  rmSync(manager.file);
  if (isRunning) await manager.forget();
  if (json) await context.print(JSON.stringify({ manager: manager.name, file: manager.file, installed: false }));
  else await context.print(`Removed ${escapeForDisplay(manager.file)}; programs of sessions keep running`);
}

async function status(manager: ServiceManager, json: boolean, context: CliContext): Promise<number> {
  const text = textInFile(manager.file);
  const installed = text !== undefined;
  const current = text === manager.text(factsOf(context));
  const state = await manager.state();
  const found = { manager: manager.name, file: manager.file, installed, current: installed && current, ...state };
  if (json) await context.print(JSON.stringify(found));
  else await context.print((await formatTable(rowsOf(found))).join("\n"));
  return installed && current && state.active !== false ? 0 : 1;
}

interface Found extends ServiceState {
  readonly manager: ServiceManager["name"];
  readonly file: string;
  readonly installed: boolean;
  readonly current: boolean;
}

function rowsOf({ active, current, enabled, failed, file, installed, linger, manager, pid }: Found): string[][] {
  const [yes, unknown] = ["yes", `unknown: ${manager} does not answer in this shell`];
  const words = (value: boolean | null, no: string): string => (value === null ? unknown : value ? yes : no);
  return [
    ["Unit", installed ? escapeForDisplay(file) : 'not installed: run "lectern service install"'],
    ...(installed
      ? [
          [
            "Paths",
            current
              ? "as in this shell: Node, Lectern, PATH and data directory"
              : 'NOT those of this shell (Node, Lectern, PATH or data directory have changed): run "lectern service install" again',
          ],
          ["Starts at login", words(enabled, "no")],
          [
            "Running",
            active === true
              ? `yes, process ${pid}`
              : words(active, `no${failed === true ? ", it has failed" : ""}: see "journalctl --user -u lectern"`),
          ],
        ]
      : []),
    ...(manager === "systemd"
      ? [
          [
            "Linger",
            linger === null
              ? "unknown: loginctl does not answer"
              : words(linger, 'no: it ends with your last login; "loginctl enable-linger" keeps it running'),
          ],
        ]
      : [["Note", "launchd is untested"]]),
  ];
}
