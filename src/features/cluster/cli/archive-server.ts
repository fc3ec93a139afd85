/** The sessions of a machine that is away, served from a data directory of their own in this process. */
import type { ArchiveServer } from "../daemon/replicas/archive.ts";
import { LecternError } from "../../../core/errors.ts";
import { unixTransport } from "../../../client/unix-transport.ts";
import type { DaemonFeature } from "../../../daemon/operations/daemon-features.ts";
import { startDaemon } from "../../../daemon/daemon.ts";
import type { Caller, WantedAction } from "../../../daemon/service.ts";
import { lecternPaths } from "../../../daemon/paths.ts";
import { openLogger } from "../../../server/log.ts";
import { startServer } from "../../../server/server.ts";
import { buildVersion } from "../../../daemon/version.ts";

/** Nothing runs here, and nothing may be started. */
function refuseWrites(_: Caller, { operation, scope }: WantedAction): void {
  if (scope === "read") return;
  throw new LecternError(
    "FORBIDDEN",
    `Cannot do "${operation}" here: these are copies of sessions of a machine that is away`,
  );
}

/** `features`: those of the daemon for which it serves. */
export async function openArchiveServer(
  dataDirectory: string,
  { features, logLevel }: { readonly features: readonly DaemonFeature[]; readonly logLevel: string },
): Promise<ArchiveServer> {
  const logger = openLogger(logLevel);
  const paths = lecternPaths({ LECTERN_HOME: dataDirectory });
  await using parts = new AsyncDisposableStack();
  const daemon = parts.use(
    await startDaemon(paths, {
      version: buildVersion(),
      startedBy: "archive",
      isArchive: true,
      features,
      // Nobody has the right to.
      onStop: () => {},
      onError: (error) => logger.warn({ err: error }, "archive"),
    }),
  );
  const path = paths.daemonSocket;
  const service = { ...daemon.service, permit: refuseWrites };
  parts.use(await startServer({ service, listeners: [{ kind: "unix", path }], logger }));
  const opened = parts.move();
  return {
    transport: unixTransport(path),
    resolve: (reference) => daemon.service.resolve(reference),
    [Symbol.asyncDispose]: async () => await opened.disposeAsync(),
  };
}
