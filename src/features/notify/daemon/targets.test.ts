import assert from "node:assert/strict";
import { networkInterfaces } from "node:os";
import { test } from "node:test";
import { post } from "./post.ts";
import { readPrivateTargets } from "../core/read-settings.ts";
import { checkNoticeTarget, TargetRefused, type Resolve } from "./targets.ts";

const names: Readonly<Record<string, readonly string[]>> = {
  "public.example": ["93.184.216.34", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
  "inside.example": ["10.1.2.3"],
  "mixed.example": ["93.184.216.34", "127.0.0.1"],
  "mapped.example": ["::ffff:192.168.0.1"],
  "metadata.example": ["169.254.169.254"],
};
const resolve: Resolve = async (host) =>
  await Promise.resolve((names[host] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })));

/** Each form in which somebody may write an address that is not public. */
const forbidden: readonly string[] = [
  "http://127.0.0.1/",
  "http://localhost.localdomain@127.0.0.1/",
  "http://127.1/",
  "http://2130706433/",
  "http://0x7f000001/",
  "http://0177.0.0.1/",
  "http://127.0.0.1./",
  "http://0.0.0.0/",
  "http://[::1]/",
  "http://[::]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::ffff:7f00:1]/",
  "http://[64:ff9b::7f00:1]/",
  "http://[2002:7f00:1::]/",
  "http://10.0.0.1/",
  "http://172.31.255.255/",
  "http://192.168.1.1/",
  "http://100.64.0.1/",
  "http://169.254.169.254/latest/meta-data/",
  "http://[fe80::1]/",
  "http://[fd00:ec2::254]/",
  "http://224.0.0.1/",
  "http://255.255.255.255/",
  "https://inside.example/",
  "https://mixed.example/",
  "https://mapped.example/",
  "https://metadata.example/",
  "file:///etc/passwd",
  "ftp://public.example/",
  "https://user:word@public.example/",
];

test("an address that is not public is refused in each of its forms, and so is a name that leads to one", async () => {
  for (const url of forbidden) {
    await assert.rejects(checkNoticeTarget(new URL(url), [], resolve), TargetRefused, url);
  }
  const own = Object.values(networkInterfaces())
    .flatMap((list) => list ?? [])
    .filter(({ internal }) => !internal);
  for (const { address } of own) {
    const host = address.includes(":") ? `[${address}]` : address;
    await assert.rejects(checkNoticeTarget(new URL(`http://${host}/`), [], resolve), TargetRefused, host);
  }
});

test("a public name is used with the addresses that were checked", async () => {
  const { addresses } = await checkNoticeTarget(new URL("https://public.example/"), [], resolve);
  assert.deepEqual(
    addresses.map(({ family }) => family),
    [4, 6],
  );
});

test("what the configuration names may be private: a host, an address, a network, with or without its port", async () => {
  const named: readonly (readonly [string, string])[] = [
    ["http://127.0.0.1:8080/", "127.0.0.1:8080"],
    ["http://127.0.0.1/", "127.0.0.0/8"],
    ["http://[::1]:80/", "[::1]:80"],
    ["http://10.1.2.3/", "10.0.0.0/8"],
    ["https://inside.example/", "inside.example"],
    ["https://INSIDE.example:443/", "inside.example:443"],
    ["https://mixed.example/", "mixed.example"],
    ["http://169.254.169.254/", "169.254.169.254"],
  ];
  for (const [url, entry] of named) await checkNoticeTarget(new URL(url), readPrivateTargets([entry]), resolve);
});

test("a named port is only this port, and the name of a host does not open the address of cloud metadata", async () => {
  const cases: readonly (readonly [string, string])[] = [
    ["http://127.0.0.1:8081/", "127.0.0.1:8080"],
    ["https://metadata.example/", "metadata.example"],
    ["https://inside.example/", "10.2.0.0/16"],
    ["http://192.168.1.1/", "10.0.0.0/8"],
  ];
  for (const [url, entry] of cases)
    await assert.rejects(checkNoticeTarget(new URL(url), readPrivateTargets([entry]), resolve), TargetRefused, url);
});

test("a name that means another address later does not move the connection: it goes where the check went", async () => {
  let asked = 0;
  // Public when it is checked, loopback for whoever asks again.
  const rebinding: Resolve = async () => {
    asked += 1;
    return await Promise.resolve([{ address: asked === 1 ? "192.0.2.1" : "127.0.0.1", family: 4 }]);
  };
  const aborted = AbortSignal.timeout(50);
  const privateTargets = readPrivateTargets(["192.0.2.1"]);
  const request = { url: "http://rebind.example:9/", headers: {}, body: "", privateTargets };
  const outcome = await post({ ...request, signal: aborted, resolve: rebinding });
  assert.equal(outcome.type, "failed");
  assert.equal(asked, 1);
});
