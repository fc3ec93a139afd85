import assert from "node:assert/strict";
import { isIP } from "node:net";
import { test } from "node:test";
import fc from "fast-check";
import { runsOf } from "../../../../test/support/searches.ts";
import { namesHost, readPrivateTarget } from "./private-target.ts";

test("an entry is a host or an address, with or without its port, or a network", () => {
  const read: Readonly<Record<string, unknown>> = {
    "ntfy.lan": { type: "host", host: "ntfy.lan", port: null },
    " NTFY.lan.:80 ": { type: "host", host: "ntfy.lan", port: 80 },
    "127.0.0.1:8080": { type: "host", host: "127.0.0.1", port: 8080 },
    "::1": { type: "host", host: "::1", port: null },
    "[::1]": { type: "host", host: "::1", port: null },
    "[FD00::1]:80": { type: "host", host: "fd00::1", port: 80 },
    "10.0.0.0/8": { type: "network", address: "10.0.0.0", family: "ipv4", bits: 8 },
    "fd00::/8": { type: "network", address: "fd00::", family: "ipv6", bits: 8 },
  };
  for (const [entry, target] of Object.entries(read)) assert.deepEqual(readPrivateTarget(entry), target, entry);
});

test("what can name nothing is not an entry", () => {
  const wrong = ["", " ", "10.0.0.0/33", "10.0.0/8", "::/129", "abc/8", "a:b", "[abc:1]", "[::1", "box:0", "box:70000"];
  for (const entry of [...wrong, "*.lan", "http://box/", "box/8", "a..b", "::1/8/8", "fe80::1%eth0"])
    assert.equal(readPrivateTarget(entry), undefined, entry);
});

test("a text is an address of a network exactly if Node takes it for one", () => {
  const group = fc.constantFrom("", "0", "1", "ffff", "12345", "g", "10.0.0.1", "010.0.0.1", "256.1.1.1");
  const text = fc.array(group, { maxLength: 9 }).map((groups) => groups.join(":"));
  fc.assert(
    fc.property(fc.oneof(text, fc.ipV4(), fc.ipV6()), (address) => {
      assert.equal(readPrivateTarget(`${address}/0`) !== undefined, isIP(address) !== 0, address);
    }),
    { numRuns: runsOf(2000) },
  );
});

test("a target with a port names its host at this port only; a network names no host itself", () => {
  const names = (entry: string, host: string, port: number): boolean => {
    const target = readPrivateTarget(entry);
    return target !== undefined && namesHost(target, { host, port });
  };
  assert.ok(names("box", "box", 443));
  assert.ok(names("box:80", "box", 80));
  assert.ok(!names("box:80", "box", 8080));
  assert.ok(!names("box", "other", 80));
  assert.ok(!names("10.0.0.0/8", "10.0.0.0", 80));
});
