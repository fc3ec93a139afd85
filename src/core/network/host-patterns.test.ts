import assert from "node:assert/strict";
import test from "node:test";
import { type HostPattern, hostMatches, normalHost, readHostPattern, targetText } from "./host-patterns.ts";

const matches = (pattern: string, target: string): boolean => {
  const [, host = "", port = ""] = /^(.*):(\d+)$/.exec(target) ?? [];
  return hostMatches(readHostPattern(pattern) as HostPattern, { host: normalHost(host) ?? "", port: Number(port) });
};

test("a host without a port is for the ports of the web", () => {
  assert.ok(matches("example.com", "example.com:443"));
  assert.ok(matches("example.com", "EXAMPLE.com.:80"));
  assert.ok(!matches("example.com", "example.com:22"));
  assert.ok(matches("example.com:22", "example.com:22"));
  assert.ok(!matches("example.com:22", "example.com:443"));
});

test("a star is for the hosts below a domain, and not for the domain", () => {
  assert.ok(matches("*.example.com", "a.example.com:443"));
  assert.ok(matches("*.example.com:8443", "a.b.example.com:8443"));
  assert.ok(!matches("*.example.com", "example.com:443"));
  assert.ok(!matches("*.example.com", "badexample.com:443"));
  assert.ok(!matches("example.com", "a.example.com:443"));
});

test("an address is a host", () => {
  assert.ok(matches("127.0.0.1:8080", "127.0.0.1:8080"));
  assert.ok(matches("[::1]:8080", "[::1]:8080"));
  assert.ok(!matches("*.0.0.1x", "127.0.0.1:80"));
});

for (const text of [
  "",
  "*",
  "*.",
  "*.*.com",
  "a.*.com",
  "https://example.com",
  "example.com/path",
  "example.com:",
  "example.com:0",
  "example.com:65536",
  "example.com:http",
  "user@example.com",
  "::1",
  "[::1",
  "[example.com]",
  "*.[::1]",
  "*.0.0.1",
  "a..b",
  "-a.com",
  "exa mple.com",
  "bücher.example",
  "a\n.com",
  "a".repeat(300),
]) {
  test(`${JSON.stringify(text.slice(0, 30))} is not a host pattern`, () => {
    const problem = readHostPattern(text);
    assert.equal(typeof problem, "string");
    assert.match(problem as string, /^Cannot use the host ".*": wanted a host such as/s);
  });
}

test("a target is written as in an address", () => {
  assert.equal(targetText({ host: "example.com", port: 443 }), "example.com:443");
  assert.equal(targetText({ host: "::1", port: 80 }), "[::1]:80");
});
