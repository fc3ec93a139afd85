import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { testNotice } from "./notice.ts";
import { secretBase64, signedText, webhookBody } from "./webhook-format.ts";

test("the signature is the one of the specification's example", () => {
  // https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
  const secret = secretBase64(["whsec", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"].join("_"));
  const text = signedText("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, '{"test": 2432232314}');
  const signature = createHmac("sha256", Buffer.from(secret ?? "", "base64"))
    .update(text)
    .digest("base64");
  assert.equal(signature, "g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
});

test("a secret of another form or that is too short is refused", () => {
  for (const secret of ["", "whsec_", "whsec_c2hvcnQ=", "secret", "whsec_not base64 at all, not at all, no"])
    assert.equal(secretBase64(secret), undefined);
});

test("the body has type, timestamp and data", () => {
  const notice = { ...testNotice("box", 1000), kind: "blocked", id: "msg_1", url: null, question: null } as const;
  const body = JSON.parse(webhookBody(notice)) as Record<string, unknown>;
  assert.equal(body["type"], "session.blocked");
  assert.equal(body["timestamp"], "1970-01-01T00:00:01.000Z");
  assert.equal((body["data"] as Record<string, unknown>)["node"], "box");
  assert.equal((JSON.parse(webhookBody({ ...notice, kind: "away" })) as { type: string }).type, "machine.away");
});
