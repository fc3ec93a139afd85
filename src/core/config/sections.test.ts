import assert from "node:assert/strict";
import { test } from "node:test";
import { yaml } from "../gate/yaml-file.ts";
import { compileSchema } from "../json-schema/json-schema.ts";
import { checkConfig } from "./check-sections.ts";
import { keysOf } from "./config-section.ts";
import { configSections } from "./sections.ts";

test("each key has a sentence, and a default that its own schema and check accept", () => {
  for (const [name, entry] of Object.entries(configSections)) {
    for (const { key, path } of keysOf(name, entry)) {
      const where = path.join(".");
      assert.match(key.summary, /^[A-Z].*[.)]$/, where);
      assert.match(path.at(-1) ?? "", /^[a-z][A-Za-z0-9]*$/, where);
      if (key.default === undefined) continue;
      const check = compileSchema(key.schema, { dialect: "2020-12", pattern: (source) => new RegExp(source, "u") });
      assert.equal(check(key.default).valid, true, where);
      assert.deepEqual(key.problems(key.default), [], where);
    }
  }
});

const messages = (written: string) => checkConfig(yaml.read(written), "user").problems.map(({ message }) => message);

test("a value that could do nothing is a mistake", () => {
  const wrong: Readonly<Record<string, RegExp>> = {
    "listen: {host: not an address}": /^"listen.host" is "not an address", wanted such as 127\.0\.0\.1/,
    'listen: {host: "0.0.0.0:80"}': /wanted 0\.0\.0\.0; the port is the key "port"$/,
    'listen: {host: "[::1]:80"}': /wanted ::1; the port/,
    "run: {retainBytes: 10}": /^"run.retainBytes" is 10, wanted at least `1M`$/,
    "gateway: {idle: 0s}": /^"gateway.idle" is "0s", wanted at least `1s`$/,
    "gateway: {queueTime: 30d}": /^"gateway.queueTime" is "30d", wanted at most `1d`$/,
    "gateway: {connections: 0}": /"gateway.connections"/,
    "run: {detachKeys: zzz}": /^"run.detachKeys" is "zzz", wanted such as ctrl-/,
    "otlp: {endpoint: nonsense}": /^"otlp.endpoint" is "nonsense", wanted an address such as http/,
    "notify: {privateTargets: [10.0.0.0/99]}": /^"notify.privateTargets.0" is "10\.0\.0\.0\/99", wanted a host/,
    "notify: {rules: [{to: [pone]}], channels: {phone: {kind: desktop}}}":
      /^"notify.rules.0.to.0" is "pone", which is not a channel: did you mean "phone"\?$/,
    "notify: {rules: [{to: [phone]}]}": /which is not a channel: add it to notify\.channels$/,
  };
  for (const [text, expected] of Object.entries(wrong)) assert.match(messages(text).join(), expected, text);
  for (const text of [
    'listen: {host: "::1"}',
    'listen: {host: "fe80::1%eth0"}',
    "listen: {host: box.local}",
    "run: {retainBytes: 1M, detachKeys: none}",
    "otlp: {endpoint: http://127.0.0.1:4318}",
    'notify: {privateTargets: [ntfy.lan, "box:8080", 127.0.0.1, "[::1]:80", "::1", fd00::/8, 10.0.0.0/8]}',
    "notify: {rules: [{to: [push, push/abc]}]}",
  ]) {
    assert.deepEqual(messages(text), [], text);
  }
});
