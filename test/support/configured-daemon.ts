/** A daemon with a `lectern.yaml`, and with an HTTP server on loopback where links lead. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DaemonConfig } from "../../src/daemon/config/daemon-config.ts";
import { createLogger } from "../../src/server/log.ts";
import { startServer, type RunningServer } from "../../src/server/server.ts";
import { TemporaryDaemon, type DaemonLimits } from "./temporary-daemon.ts";

const fileOf = (home: string): string => join(home, "lectern.yaml");

/** JSON is YAML. */
export async function configuredDaemon(
  settings: object,
  more: Pick<DaemonLimits, "machines" | "times"> = {},
): Promise<TemporaryDaemon> {
  const home = mkdtempSync(join(tmpdir(), "lectern-test-"));
  writeFileSync(fileOf(home), JSON.stringify(settings));
  const config = await DaemonConfig.open(fileOf(home), {});
  return await TemporaryDaemon.start(home, { config, ...more });
}

/** Rejects if the settings have a problem. */
export async function reconfigure(daemon: TemporaryDaemon, settings: object): Promise<void> {
  writeFileSync(fileOf(daemon.paths.dataDirectory), JSON.stringify(settings));
  const { problems } = await daemon.call("daemon.reload", {});
  if (problems.length > 0) throw new Error(JSON.stringify(problems));
}

/** Its first listener has the address. */
export const serverOf = async (daemon: TemporaryDaemon): Promise<RunningServer> =>
  await startServer({
    service: daemon.running.service,
    logger: createLogger({ write: () => true }, "silent"),
    listeners: [{ kind: "tcp", host: "127.0.0.1", port: 0 }],
  });
