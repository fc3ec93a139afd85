import assert from "node:assert/strict";
import { test } from "node:test";
import { readOtlpSettings } from "./otlp-settings.ts";

const on = { LECTERN_OTLP: "on" };

test("nothing is sent by default, also if other programs have a collector in their environment", () => {
  assert.equal(readOtlpSettings({}), null);
  assert.equal(readOtlpSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://box:4318" }), null);
  assert.equal(readOtlpSettings({ LECTERN_OTLP: "off" }, { enabled: true }), null);
  assert.equal(readOtlpSettings({ ...on, OTEL_SDK_DISABLED: "true" }), null);
});

test("the variables of OpenTelemetry win over the configuration, those for traces over all", () => {
  const configuration = { enabled: true, endpoint: "http://one:4318/", headers: { a: "1" }, content: true };
  const plain = readOtlpSettings({}, configuration);
  assert.deepEqual(
    [plain?.url, plain?.headers, plain?.content, plain?.resource],
    ["http://one:4318/v1/traces", { a: "1" }, true, { "service.name": "lectern" }],
  );
  const settings = readOtlpSettings(
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: "https://two/base",
      OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20x, b=2",
      OTEL_EXPORTER_OTLP_TIMEOUT: "3000",
      OTEL_RESOURCE_ATTRIBUTES: "service.name=other,team=core",
      OTEL_SERVICE_NAME: "mine",
    },
    configuration,
  );
  assert.equal(settings?.url, "https://two/base/v1/traces");
  assert.deepEqual(settings?.headers, { a: "1", authorization: "Bearer x", b: "2" });
  assert.deepEqual(settings?.resource, { "service.name": "mine", team: "core" });
  assert.equal(settings?.timeoutMs, 3000);
  const exact = {
    ...on,
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://three/otlp",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://x",
  };
  assert.equal(readOtlpSettings(exact)?.url, "http://three/otlp");
});

test("what cannot be used is refused with the next step", () => {
  const refused = (variables: Record<string, string>, pattern: RegExp): void =>
    assert.throws(() => readOtlpSettings({ ...on, ...variables }), { code: "INVALID_INPUT", message: pattern });
  refused({ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, /HTTP port of the collector/);
  refused({ OTEL_EXPORTER_OTLP_ENDPOINT: "box:4317" }, /wanted an address such as/);
  refused({ OTEL_EXPORTER_OTLP_HEADERS: "secret" }, /wanted "key=value/);
  refused({ LECTERN_OTLP: "yes" }, /wanted "on" or "off"/);
});
