/** One daemon for the tests of a process, of one file or several, one after the other, that need none of their own. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterEach } from "node:test";
import { configuredDaemon, reconfigure } from "./configured-daemon.ts";
import { afterAllFiles } from "./shared-by-files.ts";
import { filesIn, type TemporaryDaemon } from "./temporary-daemon.ts";

let running: Promise<TemporaryDaemon> | undefined;

export class SharedDaemon {
  constructor() {
    // A test that failed may leave a daemon that makes the next one fail too.
    afterEach(async ({ passed }) => {
      if (!passed) await endRunning();
    });
    afterAllFiles(endRunning);
  }

  /** The running daemon with these settings, without anything that earlier tests left in it. Files of other names in its directory stay. */
  async empty(settings: object = {}): Promise<TemporaryDaemon> {
    running ??= configuredDaemon(settings);
    const daemon = await running;
    await removeRows(daemon);
    await removeAgentFiles(daemon);
    if (readFileSync(daemon.paths.configFile, "utf8") !== JSON.stringify(settings)) await reconfigure(daemon, settings);
    daemon.errors.length = 0;
    daemon.problems.length = 0;
    return daemon;
  }
}

async function endRunning(): Promise<void> {
  const daemon = running;
  running = undefined;
  await (await daemon)?.[Symbol.asyncDispose]();
}

/** Approvals, prompts and receipts go with their sessions. */
async function removeRows(daemon: TemporaryDaemon): Promise<void> {
  const { sessions } = await daemon.call("sessions.list", {});
  await Promise.all(sessions.map(({ id }) => daemon.call("sessions.remove", { session: id, force: true })));
  const { tokens } = await daemon.call("tokens.list", {});
  await Promise.all(tokens.map(({ id }) => daemon.call("tokens.revoke", { token: id })));
  // A daemon that is asked for notices opens its outbox, so one that has none is not asked.
  if (!existsSync(daemon.paths.notifyFile)) return;
  const { notices } = await daemon.call("notify.list", { limit: 1000 });
  await Promise.all(notices.map(({ id }) => daemon.call("notify.remove", { notice: id })));
}

/** A running daemon does not report when it has read that they are gone; one that starts has read all files. */
async function removeAgentFiles(daemon: TemporaryDaemon): Promise<void> {
  const { agentsDirectory } = daemon.paths;
  const files = filesIn(agentsDirectory);
  if (files.length === 0) return;
  for (const file of files) rmSync(join(agentsDirectory, file));
  await daemon.restart();
}
