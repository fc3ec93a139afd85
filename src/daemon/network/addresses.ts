/** Which addresses are not of the public internet: a name that the outside world controls must not lead to them. */
import { BlockList, isIPv6 } from "node:net";
import { networkInterfaces } from "node:os";
import { lazily } from "../../core/lazily.ts";

type Kind = "loopback" | "link-local" | "private" | "reserved";

/** RFC 6890 and the registries of IANA that it began. Ranges that carry an IPv4 address in an IPv6 one are reserved as a whole. */
const ranges: readonly (readonly [kind: Kind, address: string, bits: number])[] = [
  ["loopback", "127.0.0.0", 8],
  ["loopback", "::1", 128],
  ["link-local", "169.254.0.0", 16],
  ["link-local", "fe80::", 10],
  ["private", "10.0.0.0", 8],
  ["private", "100.64.0.0", 10],
  ["private", "172.16.0.0", 12],
  ["private", "192.168.0.0", 16],
  ["private", "fc00::", 7],
  ["private", "fec0::", 10],
  ["reserved", "0.0.0.0", 8],
  ["reserved", "192.0.0.0", 24],
  ["reserved", "192.0.2.0", 24],
  ["reserved", "198.18.0.0", 15],
  ["reserved", "198.51.100.0", 24],
  ["reserved", "203.0.113.0", 24],
  ["reserved", "224.0.0.0", 4],
  ["reserved", "240.0.0.0", 4],
  ["reserved", "::", 96],
  ["reserved", "64:ff9b::", 96],
  ["reserved", "64:ff9b:1::", 48],
  ["reserved", "100::", 64],
  ["reserved", "2001::", 32],
  ["reserved", "2001:db8::", 32],
  ["reserved", "2002::", 16],
  ["reserved", "ff00::", 8],
];

const family = (address: string): "ipv4" | "ipv6" => (isIPv6(address) ? "ipv6" : "ipv4");

/** Made when they are first asked: Node compiles its expression for IPv6 then, a 50th of the processor time of a daemon's start. */
const known = lazily({
  lists: () =>
    ranges.map(([kind, address, bits]) => {
      const list = new BlockList();
      list.addSubnet(address, bits, family(address));
      return [kind, list] as const;
    }),
});

/** `undefined` for a public address. An IPv4 address that is written as an IPv6 one counts as what it is. */
export function addressKind(address: string): Kind | "of this machine" | undefined {
  const found = known.lists.find(([, list]) => list.check(address, family(address)));
  if (found !== undefined) return found[0];
  const own = new BlockList();
  for (const { address: one } of Object.values(networkInterfaces()).flatMap((list) => list ?? []))
    own.addAddress(one.replace(/%.*$/, ""), family(one));
  return own.check(address, family(address)) ? "of this machine" : undefined;
}
