import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import test from "node:test";
import { addressKind } from "./addresses.ts";

const kinds: Readonly<Record<string, ReturnType<typeof addressKind>>> = {
  "127.0.0.1": "loopback",
  "127.255.0.9": "loopback",
  "::1": "loopback",
  "::ffff:127.0.0.1": "loopback",
  "::ffff:7f00:1": "loopback",
  "169.254.169.254": "link-local",
  "fe80::1": "link-local",
  "10.1.2.3": "private",
  "172.31.0.1": "private",
  "192.168.1.1": "private",
  "100.64.0.1": "private",
  "fd00::1": "private",
  "0.0.0.0": "reserved",
  "::": "reserved",
  "::7f00:1": "reserved",
  "64:ff9b::7f00:1": "reserved",
  "2002:7f00:1::": "reserved",
  "224.0.0.1": "reserved",
  "255.255.255.255": "reserved",
  "93.184.216.34": undefined,
  "172.32.0.1": undefined,
  "2606:2800:220:1::1": undefined,
};

for (const [address, kind] of Object.entries(kinds)) {
  test(`${address} is ${kind ?? "public"}`, () => assert.equal(addressKind(address), kind));
}

test("no address of this machine is public", () => {
  for (const { address } of Object.values(networkInterfaces()).flatMap((list) => list ?? []))
    assert.notEqual(addressKind(address.replace(/%.*$/, "")), undefined);
});
