/** Private hosts, addresses and networks to which notices may go: `ntfy.lan`, `127.0.0.1:8080`, `[::1]:80`, `10.0.0.0/8`. Pure. */
import { readHostPattern, type HostTarget } from "../../../core/network/host-patterns.ts";

export type PrivateTarget =
  /** A name or an address, in lower case and without brackets. `port` null: any port. */
  | { readonly type: "host"; readonly host: string; readonly port: number | null }
  | { readonly type: "network"; readonly address: string; readonly family: "ipv4" | "ipv6"; readonly bits: number };

/**
 * Undefined for a text that can name nothing.
 * `readPrivateTarget("127.0.0.1:8080"); // { type: "host", host: "127.0.0.1", port: 8080 }`
 */
export function readPrivateTarget(entry: string): PrivateTarget | undefined {
  const text = entry.trim().toLowerCase();
  const network = /^([^/]+)\/(\d{1,3})$/.exec(text);
  if (network !== null) return networkOf(network[1] ?? "", Number(network[2]));
  // An address alone may come without brackets.
  const pattern = readHostPattern(familyOf(text) === "ipv6" ? `[${text}]` : text);
  if (typeof pattern === "string" || pattern.isSuffix) return undefined;
  const { host, port } = pattern;
  return host.includes(":") && familyOf(host) === undefined ? undefined : { type: "host", host, port };
}

/** Whether it names this host itself, by its name or address. */
export const namesHost = (target: PrivateTarget, { host, port }: HostTarget): boolean =>
  target.type === "host" && target.host === host && (target.port === null || target.port === port);

function networkOf(address: string, bits: number): PrivateTarget | undefined {
  const family = familyOf(address);
  return family === undefined || bits > (family === "ipv4" ? 32 : 128)
    ? undefined
    : { type: "network", address, family, bits };
}

function familyOf(text: string): "ipv4" | "ipv6" | undefined {
  if (isIPv4(text)) return "ipv4";
  // RFC 4291, section 2.2: eight groups, `::` for one or more of them, the last two may be an IPv4 address.
  const [head = "", tail, ...more] = text.split("::");
  if (!text.includes(":") || more.length > 0) return undefined;
  const groups = [head, tail ?? ""].flatMap((part) => (part === "" ? [] : part.split(":")));
  const last = groups.at(-1) ?? "";
  const isMapped = isIPv4(last) && text.endsWith(last);
  const hexadecimal = isMapped ? groups.slice(0, -1) : groups;
  if (!hexadecimal.every((group) => /^[\da-f]{1,4}$/.test(group))) return undefined;
  const count = hexadecimal.length + (isMapped ? 2 : 0);
  return (tail === undefined ? count === 8 : count < 8) ? "ipv6" : undefined;
}

const isIPv4 = (text: string): boolean => {
  const numbers = text.split(".");
  return numbers.length === 4 && numbers.every((number) => /^(?:0|[1-9]\d{0,2})$/.test(number) && Number(number) < 256);
};
