/** The hosts that a sandboxed session may reach, as a policy or profile names them: `api.example.com`, `*.example.com:8443`, `127.0.0.1:8080`. Pure. */

/** A pattern as it was written, taken apart. */
export interface HostPattern {
  /** In lower case; a name, or an address without brackets. */
  readonly host: string;
  /** `*.` was in front of it: every host below it, and not itself. */
  readonly isSuffix: boolean;
  /** Null: the ports of the web. */
  readonly port: number | null;
}

/** A host and a port that a program wants to reach. */
export interface HostTarget {
  /** As `normalHost` gives it. */
  readonly host: string;
  readonly port: number;
}

/** The ports of a pattern without one: HTTP and HTTPS. */
const WEB_PORTS: ReadonlySet<number> = new Set([80, 443]);
const PORT_MAX = 65_535;
/** RFC 1035, section 2.3.4. */
const NAME_CHARS_MAX = 253;

/**
 * Takes a pattern apart; a text says what is wrong with it.
 * `readHostPattern("*.example.com:8443"); // { host: "example.com", isSuffix: true, port: 8443 }`
 */
export function readHostPattern(text: string): HostPattern | string {
  const wanted = 'wanted a host such as "example.com", "*.example.com", "example.com:8443" or "[::1]:8080"';
  const problem = `Cannot use the host ${JSON.stringify(text)}: ${wanted}`;
  const found = /^(?<star>\*\.)?(?:\[(?<address>[0-9a-f:.]+)\]|(?<name>[^:[\]*]+))(?::(?<port>\d{1,5}))?$/i.exec(text);
  if (found?.groups === undefined) return problem;
  const { address, name, port, star } = found.groups;
  const host = normalHost(address ?? name ?? "");
  const isSuffix = star !== undefined;
  if (host === undefined || (address === undefined) !== !host.includes(":")) return problem;
  if (isSuffix && (address !== undefined || /^[\d.]+$/.test(host))) return problem;
  if (port !== undefined && (Number(port) === 0 || Number(port) > PORT_MAX)) return problem;
  return { host, isSuffix, port: port === undefined ? null : Number(port) };
}

/**
 * A host name or an address in the one form in which hosts are compared: lower case, without the dot of the root and without brackets.
 * Undefined for a text that cannot be a host.
 */
export function normalHost(text: string): string | undefined {
  const host = text
    .toLowerCase()
    .replace(/^\[(.*)\]$/, "$1")
    .replace(/\.$/, "");
  if (host.length === 0 || host.length > NAME_CHARS_MAX) return undefined;
  if (host.includes(":")) return /^[0-9a-f:.]+$/.test(host) ? host : undefined;
  return host.split(".").every((label) => /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label)) ? host : undefined;
}

export function hostMatches({ host, isSuffix, port }: HostPattern, target: HostTarget): boolean {
  const isPort = port === null ? WEB_PORTS.has(target.port) : port === target.port;
  return isPort && (isSuffix ? target.host.endsWith(`.${host}`) : target.host === host);
}

/** `example.com:443`, `[::1]:8080`. */
export const targetText = ({ host, port }: HostTarget): string => `${host.includes(":") ? `[${host}]` : host}:${port}`;
