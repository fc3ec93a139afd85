/** The transport over an `SshLink`: as the one over a unix socket, and it opens the connection where there is none. */
import type { SocketRequest, Transport, TransportRequest } from "../client/transport.ts";
import { unixTransport } from "../client/unix-transport.ts";
import { LecternError } from "../core/errors.ts";
import { away } from "./ssh-failures.ts";
import type { ConnectOptions, SshLink } from "./ssh-link.ts";

/**
 * A request that may have arrived is not sent a second time: only reads are, and those that found nobody listening here. Rejects as
 * `SshLink.connect` does, and with `MACHINE_AWAY` for a connection that broke.
 */
export function sshTransport(link: SshLink, { mayAsk = false }: Pick<ConnectOptions, "mayAsk"> = {}): Transport {
  const over = unixTransport(link.socket);
  const again = async <Result>(
    act: () => Promise<Result>,
    mayRepeat: (error: LecternError) => boolean,
  ): Promise<Result> => {
    try {
      return await act();
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      if (!mayRepeat(error)) throw broken(link, error);
    }
    await link.connect({ mayAsk });
    try {
      return await act();
    } catch (error) {
      throw isUnreachable(error) ? broken(link, error) : error;
    }
  };
  return {
    request: (given: TransportRequest) =>
      again(
        async () => over.request(given),
        (error) => (given.method === "GET" || isNobody(error)) && typeof given.body !== "object",
      ),
    openSocket: (given: SocketRequest) =>
      again(
        async () => over.openSocket(given),
        () => true,
      ),
  };
}

const isUnreachable = (error: unknown): error is LecternError =>
  error instanceof LecternError && error.code === "DAEMON_UNREACHABLE";

/** No process of ssh listens here, so nothing was sent. */
function isNobody({ cause }: LecternError): boolean {
  const code = (cause as { readonly code?: unknown } | undefined)?.code;
  return code === "ENOENT" || code === "ECONNREFUSED";
}

const broken = (link: SshLink, cause: LecternError): LecternError =>
  away(link.host, "the connection broke; whether the request arrived is not known", cause);
