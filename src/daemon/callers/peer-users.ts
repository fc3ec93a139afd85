/** Which user is at the other end of a TCP connection of this machine, by the kernel's tables (Linux). */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { procPath } from "../../pty/platform.ts";

/**
 * The source of each connection, in the same order: `user 1000`, or its address if the tables do not have it. All of 127.0.0.0/8 is one
 * address, because every user has all of it. Reads the tables once for all connections, which takes milliseconds even if they are short: the
 * kernel walks through all of its buckets.
 */
export function sourcesOf(sockets: readonly Socket[]): readonly string[] {
  const ends = sockets.map(({ remoteAddress = "", remotePort = 0 }) => endOf(tableAddress(remoteAddress), remotePort));
  const users = parseUsers(readTable("net/tcp"));
  // A socket of IPv6 may be connected to an address of IPv4.
  const others = ends.every((end) => users.has(end)) ? users : parseUsers(readTable("net/tcp6"));
  return sockets.map(({ remoteAddress = "" }, index) => {
    const end = ends[index] ?? "";
    const user = users.get(end) ?? others.get(end);
    return user === undefined ? `address ${remoteAddress.replace(/^127\..*/, "127.0.0.1")}` : `user ${user}`;
  });
}

/** Empty on another system, and on a kernel without IPv6: the address has to do there. */
function readTable(name: string): string {
  try {
    return readFileSync(procPath(name), "latin1");
  } catch {
    return "";
  }
}

/** The user of each end that is connected, from the text of the tables: the client's own row has its address as the local one. */
export function parseUsers(text: string): ReadonlyMap<string, string> {
  const users = new Map<string, string>();
  for (const [, address = "", port = "", state, user = ""] of text.matchAll(ROW)) {
    if (state === ESTABLISHED) users.set(endOf(address.replace(MAPPED, ""), Number.parseInt(port, 16)), user);
  }
  return users;
}

/** `sl: local:port remote:port state queues timer retransmits uid` (`proc_pid_net(5)`). */
const ROW = /^ *\d+: ([0-9A-F]+):([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} ([0-9A-F]{2}) \S+ \S+ \S+ +(\d+)/gm;
const ESTABLISHED = "01";
/** An IPv4 address in the table for IPv6. */
const MAPPED = /^0{16}FFFF0000(?=.{8}$)/;
const IPV6_LOOPBACK = "00000000000000000000000001000000";

const endOf = (address: string, port: number): string => `${address}:${port}`;

/** The kernel prints words in the order of the machine, which is little-endian on those that Node runs on, except s390x. */
function tableAddress(address: string): string {
  if (address === "::1") return IPV6_LOOPBACK;
  const bytes = address.split(".").map((part) => Number(part).toString(16).padStart(2, "0").toUpperCase());
  return bytes.toReversed().join("");
}
