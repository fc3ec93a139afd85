/** The client for Node: it finds the daemon of this user, and starts it if none runs. */
import { LecternClient } from "../client/client.ts";
import type { FetchTransportOptions } from "../client/fetch-transport.ts";
import { checkOptions, type OptionNames } from "../core/option-names.ts";
import { LecternError } from "../core/errors.ts";
import { ensureDaemon, findRunningDaemon } from "../daemon/daemon-process.ts";
import { lecternPaths } from "../daemon/paths.ts";

/** The daemon that `LecternClient.connect` finds: that of a data directory of this machine, or with `url` one at an address. */
export interface LocalConnectOptions extends Partial<FetchTransportOptions> {
  /** The data directory. Default: `LECTERN_HOME`, or that of the `lectern` command. */
  readonly home?: string;
  /** False: no daemon is started, and without one the call rejects with `DAEMON_UNREACHABLE`. Default true. */
  readonly start?: boolean;
  readonly signal?: AbortSignal;
}

const names: OptionNames<LocalConnectOptions> = { url: true, token: true, home: true, start: true, signal: true };
const never = new AbortController().signal;

/**
 * The client of `lectern/client`, with a `connect` that needs no address.
 *
 * @example
 * ```ts
 * const client = await LecternClient.connect();
 * const { sessions } = await client.sessions.list();
 * ```
 */
export class LocalClient extends LecternClient {
  /**
   * Connects to the daemon of this user, as the `lectern` command does, or with `url` and `token` to one at an address. Rejects with
   * `DAEMON_UNREACHABLE`, `VERSION_MISMATCH`, `UNAUTHENTICATED`, or the reason why the daemon cannot start.
   */
  static override async connect(options: LocalConnectOptions = {}): Promise<LecternClient> {
    checkOptions("connect", options, names);
    const { url, token, home, start = true, signal = never } = options;
    if (url !== undefined) return await super.connect({ url, ...(token !== undefined && { token }) });
    const environment = home === undefined ? process.env : { ...process.env, LECTERN_HOME: home };
    const paths = lecternPaths(environment);
    // Options such as `--inspect` or `--watch` are for the program of the caller.
    if (start) return await ensureDaemon({ paths, environment, signal, isReturning: false, nodeOptions: [] });
    const found = await findRunningDaemon(paths, signal);
    if (found !== undefined) return found.client;
    throw new LecternError(
      "DAEMON_UNREACHABLE",
      `Cannot connect: no daemon runs for "${paths.dataDirectory}"; leave out "start: false", or run "lectern up"`,
    );
  }
}
