/** To which addresses a notice may go: those of the public internet, and what the configuration names. */
import { lookup } from "node:dns/promises";
import { BlockList, isIP, isIPv6 } from "node:net";
import { normalHost, type HostTarget } from "../../../core/network/host-patterns.ts";
import { namesHost, type PrivateTarget } from "../core/private-target.ts";
import { addressKind } from "../../../daemon/network/addresses.ts";

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
  privateTargets: readonly PrivateTarget[],
  resolve: Resolve = resolveAll,
): Promise<CheckedTarget> {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new TargetRefused(`its address begins with "${url.protocol}": wanted https: or http:`);
  if (url.username !== "" || url.password !== "")
    throw new TargetRefused("its address has a user or a password: put them into a secret");
  const { host, port } = hostTargetOf(url);
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
  readonly port: number;
  /** The name of the host is not enough: such an address serves the credentials of cloud machines. */
  readonly needsAddress: boolean;
}

function isNamed({ address, host, needsAddress, port }: Named, privateTargets: readonly PrivateTarget[]): boolean {
  const names = needsAddress ? [address] : [host, address];
  return privateTargets.some(
    (target) => names.some((name) => namesHost(target, { host: name, port })) || isWithin(address, target),
  );
}

function isWithin(address: string, target: PrivateTarget): boolean {
  if (target.type !== "network") return false;
  const list = new BlockList();
  list.addSubnet(target.address, target.bits, target.family);
  return list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/** The host and the port of an http or https address. */
export function hostTargetOf({ hostname, port, protocol }: URL): HostTarget {
  // The parser of URLs has written every form of an IPv4 address (decimal, octal, hexadecimal) as four numbers.
  const host = normalHost(hostname) ?? hostname;
  return { host, port: port === "" ? (protocol === "https:" ? 443 : 80) : Number(port) };
}
