/**
 * Where a TCP listener is: its addresses, the names by which browsers may ask for it, and what a place beyond this machine needs. Beyond
 * loopback everybody on the network can connect: TLS keeps them from reading tokens, so it is required, or its absence is stated.
 */
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import { LecternError } from "../core/errors.ts";
import { tcpRules, type GuardRules } from "./guard.ts";
import type { LoadedCertificate } from "./certificate.ts";

export interface TcpOptions {
  readonly kind: "tcp";
  /** An address of this machine, `localhost`, or `0.0.0.0` or `::` for all of them. */
  readonly host: string;
  /** Port 0 takes a free one. */
  readonly port: number;
  /**
   * Names by which browsers ask for it besides its addresses: `box.example`, `box.example:8443`, or `https://box.example` for one
   * behind a proxy that does TLS. Default none.
   */
  readonly names?: readonly string[] | undefined;
  /** Default: HTTP without TLS. */
  readonly certificate?: LoadedCertificate | undefined;
  /** Serve a place beyond this machine without TLS. Default false. */
  readonly insecureHttp?: boolean | undefined;
}

const NAME =
  /^(?:(https):\/\/)?([A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9a-f:.]+\])(?::([0-9]{1,5}))?\/?$/i;

const loopback: Readonly<Record<string, string>> = { "127.0.0.1": "127.0.0.1", localhost: "127.0.0.1", "::1": "::1" };
const wildcards: ReadonlySet<string> = new Set(["0.0.0.0", "::"]);

/** The address to bind. Throws `BIND_REFUSED` with what it needs, and `INVALID_INPUT` for a name. */
export function addressToBind({ certificate, host, insecureHttp = false, names = [] }: TcpOptions): string {
  const badName = names.find((name) => !NAME.test(name));
  if (badName !== undefined) throw badNameError(badName);
  const own = loopback[host];
  if (own !== undefined) return own;
  const details = { host };
  if (isIP(host) === 0) {
    throw new LecternError(
      "BIND_REFUSED",
      `Cannot listen on "${host}": it is not an address; give one of ${addressesHere().join(", ")}, or 0.0.0.0 for all, and the name with --name or listen.names`,
      { details },
    );
  }
  if (certificate === undefined && !insecureHttp) {
    throw new LecternError(
      "BIND_REFUSED",
      `Cannot listen on "${host}" without TLS: everybody on that network could read the token; add --tls, or --insecure-http where the network itself is encrypted, or leave it on 127.0.0.1 behind "tailscale serve" or ssh, see docs/phone.md`,
      { details },
    );
  }
  return host;
}

/** The addresses of this machine that others can use. */
const addressesHere = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter(({ address, internal }) => !internal && !address.startsWith("fe80:"))
    .map(({ address }) => address)
    .toSorted((left, right) => isIP(left) - isIP(right));

/** In a URL and a `Host`. */
const inUrl = (address: string): string => (isIP(address) === 6 ? `[${address}]` : address);

interface TcpPlace {
  /** Where browsers reach it: on this machine first, then by name, then by address. */
  readonly urls: readonly string[];
  /** The rules for a connection that came to this address. */
  readonly rulesFor: (localAddress: string | undefined) => GuardRules;
}

/** `host` is what was bound. */
export function tcpPlace(
  { certificate, names = [] }: Pick<TcpOptions, "certificate" | "names">,
  { host, port }: { readonly host: string; readonly port: number },
): TcpPlace {
  const isSecure = certificate !== undefined;
  const own = isSecure ? "https" : "http";
  const named = names.map((name) => namedPlace(name, { own, port }));
  const isWild = wildcards.has(host);
  const rulesOf = (addresses: readonly string[]): GuardRules =>
    tcpRules({ port, isSecure, hosts: [...addresses.map(inUrl), "localhost"], named });
  const fixed = isWild ? undefined : rulesOf([host]);
  const byAddress = new Map<string, GuardRules>();
  const local = isWild ? ["127.0.0.1"] : [host];
  const others = isWild ? addressesHere().filter((address) => host === "::" || isIP(address) === 4) : [];
  const urlOf = (address: string): string => `${own}://${inUrl(address)}${portInUrl(own, port)}`;
  return {
    urls: [...local.map(urlOf), ...named.map(({ origin }) => origin), ...others.map(urlOf)],
    rulesFor: (localAddress = "127.0.0.1") => {
      if (fixed !== undefined) return fixed;
      // An IPv4 address on a socket for both.
      const address = localAddress.replace(/^::ffff:/, "");
      // Only addresses of this machine come here, so there are few.
      const rules = byAddress.get(address) ?? rulesOf([address]);
      byAddress.set(address, rules);
      return rules;
    },
  };
}

interface NamedPlace {
  /** As in `Host`. */
  readonly host: string;
  readonly origin: string;
}

const badNameError = (name: string): LecternError =>
  new LecternError(
    "INVALID_INPUT",
    `Cannot use the name "${name}": wanted one such as box.example or https://box.example`,
  );

/** Throws `INVALID_INPUT`. */
function namedPlace(name: string, { own, port }: { readonly own: string; readonly port: number }): NamedPlace {
  const [, scheme, host = "", ownPort] = NAME.exec(name) ?? [];
  if (host === "") throw badNameError(name);
  // Behind a proxy, the port is the proxy's.
  const protocol = scheme?.toLowerCase() ?? own;
  const given = ownPort === undefined ? (scheme === undefined ? port : 443) : Number(ownPort);
  const place = `${host.toLowerCase()}${portInUrl(protocol, given)}`;
  return { host: place, origin: `${protocol}://${place}` };
}

const portInUrl = (protocol: string, port: number): string =>
  (protocol === "https" && port === 443) || (protocol === "http" && port === 80) ? "" : `:${port}`;

/** Says what to do about an error of `listen`. */
export function bindFailed(error: NodeJS.ErrnoException, place: string): LecternError {
  const options = { details: { address: place }, cause: error };
  if (error.code === "EADDRINUSE") {
    const next = "choose another port with --port, or listen.port in lectern.yaml";
    return new LecternError("ADDRESS_IN_USE", `Cannot listen on ${place}: it is in use; ${next}`, options);
  }
  if (error.code === "EADDRNOTAVAIL") {
    const here = ["127.0.0.1", ...addressesHere()].join(", ");
    const why = `this machine does not have that address; it has ${here}`;
    return new LecternError("BIND_REFUSED", `Cannot listen on ${place}: ${why}`, options);
  }
  if (error.code === "EACCES") {
    const why = "this user may not; choose a port above 1023 with --port, or listen.port in lectern.yaml";
    return new LecternError("BIND_REFUSED", `Cannot listen on ${place}: ${why}`, options);
  }
  return new LecternError("BIND_REFUSED", `Cannot listen on ${place}: ${error.message}`, options);
}
