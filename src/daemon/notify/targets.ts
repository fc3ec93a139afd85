/** To which addresses a notice may go: those of the public internet, and what the configuration names. */
import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv6 } from "node:net";
import { addressKind } from "../network/addresses.ts";

export interface CheckedTarget {
  /** The addresses that were checked: the connection is made to one of these, whatever the name means then. */
  readonly addresses: readonly { readonly address: string; readonly family: 4 | 6 }[];
}

/** The target may not be used; the message has the next step. */
export class TargetRefused extends Error {}

export type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const resolveAll: Resolve = async (host) => await lookup(host, { all: true });

/** Throws `TargetRefused`; rejects with the error of the resolver. */
export async function checkNoticeTarget(
  url: URL,
  privateTargets: readonly string[],
  resolve: Resolve = resolveAll,
): Promise<CheckedTarget> {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new TargetRefused(`its address begins with "${url.protocol}": wanted https: or http:`);
  if (url.username !== "" || url.password !== "")
    throw new TargetRefused("its address has a user or a password: put them into a secret");
  // The parser has written every form of an IPv4 address (decimal, octal, hexadecimal) as four numbers.
  const host = url.hostname
    .replaceAll(/^\[|\]$/g, "")
    .replace(/\.$/, "")
    .toLowerCase();
  const port = url.port === "" ? (url.protocol === "https:" ? "443" : "80") : url.port;
  const family = isIP(host);
  const found = family === 0 ? await resolve(host) : [{ address: host, family }];
  if (found.length === 0) throw new Error(`"${host}" has no address`);
  for (const { address } of found) {
    const kind = addressKind(address);
    if (kind === undefined || isNamed({ address, host, port, needsAddress: kind === "link-local" }, privateTargets))
      continue;
    const shown = address === host ? host : `${host} is ${address}, which`;
    throw new TargetRefused(`${shown} is a ${kind} address: add "${host}" to notify.privateTargets if it is meant`);
  }
  return { addresses: found.map(({ address, family: given }) => ({ address, family: given === 6 ? 6 : 4 })) };
}

interface Named {
  readonly address: string;
  readonly host: string;
  readonly port: string;
  /** The name of the host is not enough: such an address serves the credentials of cloud machines. */
  readonly needsAddress: boolean;
}

/** An entry is a host, an address or a network such as `10.0.0.0/8`; a host or an address may have a port. */
function isNamed({ address, host, needsAddress, port }: Named, privateTargets: readonly string[]): boolean {
  const names = needsAddress ? [address] : [host, address];
  return privateTargets.some((entry) => {
    const { name, of } = splitEntry(entry.trim().toLowerCase());
    if (of !== undefined && of !== port) return false;
    return names.includes(name) || isWithin(address, name);
  });
}

/** `[::1]:80`, `box.lan:80`, `::1`. */
function splitEntry(entry: string): { readonly name: string; readonly of: string | undefined } {
  const bracketed = /^\[([^\]]+)\](?::(\d+))?$/.exec(entry);
  if (bracketed !== null) return { name: bracketed[1] ?? "", of: bracketed[2] };
  const plain = /^([^:]+):(\d+)$/.exec(entry);
  return plain === null ? { name: entry, of: undefined } : { name: plain[1] ?? "", of: plain[2] };
}

function isWithin(address: string, network: string): boolean {
  const [base = "", bits = ""] = network.split("/", 2);
  if (isIP(base) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (isIPv6(base) ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(base, Number(bits), isIPv6(base) ? "ipv6" : "ipv4");
  return list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}
