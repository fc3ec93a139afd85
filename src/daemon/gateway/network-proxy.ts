/** The proxy of the network that the variables of an environment name, as curl and most libraries read them. Pure. */
import { LecternError } from "../../core/errors.ts";

export interface NetworkProxy {
  /** URL of the proxy for `http:` and for `https:` addresses; empty where there is none. */
  readonly http: string;
  readonly https: string;
  /** Hosts that are reached without it, as `NO_PROXY` has them. */
  readonly except: string;
}

/** Model servers on this machine are no business of the network. */
const ownMachine = ["127.0.0.1", "localhost", "::1"];

/** Null where the environment names none. Throws `INVALID_INPUT` for an address that is none. */
export function networkProxyOf(environment: Readonly<Record<string, string | undefined>>): NetworkProxy | null {
  const all = proxyIn(environment, "ALL_PROXY");
  const http = proxyIn(environment, "HTTP_PROXY") || all;
  const https = proxyIn(environment, "HTTPS_PROXY") || all;
  if (http === "" && https === "") return null;
  const except = [valueOf(environment, "NO_PROXY"), ...ownMachine].filter((host) => host !== "").join(",");
  return { http, https, except };
}

/** The name in small letters counts before the one in capitals. */
const valueOf = (environment: Readonly<Record<string, string | undefined>>, name: string): string =>
  environment[name.toLowerCase()] || environment[name] || "";

/** The text of a refused address is not repeated: it may hold a password. */
function proxyIn(environment: Readonly<Record<string, string | undefined>>, name: string): string {
  const text = valueOf(environment, name);
  if (text === "") return "";
  const url = text.includes("://") ? text : `http://${text}`;
  if (URL.canParse(url) && /^(?:https?|socks5?):$/.test(new URL(url).protocol)) return url;
  throw new LecternError(
    "INVALID_INPUT",
    `Cannot use the proxy that ${name} names: wanted an address such as "http://proxy.example:3128"`,
  );
}
