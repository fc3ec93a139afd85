/** Who sends a push message (RFC 8292), checked with WebCrypto and from the specification alone: nothing of the sender is used. */
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";

const { subtle } = webcrypto;

const fromBase64 = (value: string): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.from(value, "base64url"));
const objectIn = (part: string): unknown => JSON.parse(Buffer.from(part, "base64url").toString());

interface WantedSender {
  /** The `applicationServerKey` that the browser has subscribed with. */
  readonly key: string;
  /** Origin of the push service. */
  readonly audience: string;
}

/** Sections 2 and 3. Rejects if the header is not from the owner of the key. */
export async function checkSender(authorization: string, wanted: WantedSender): Promise<void> {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  assert.equal(key, wanted.key);
  const [head = "", claims = "", signature = ""] = token.split(".");
  const algorithm = { name: "ECDSA", namedCurve: "P-256" } as const;
  const publicKey = await subtle.importKey("raw", fromBase64(key), algorithm, false, ["verify"]);
  const signed = Uint8Array.from(Buffer.from(`${head}.${claims}`));
  assert.ok(await subtle.verify({ name: "ECDSA", hash: "SHA-256" }, publicKey, fromBase64(signature), signed));
  assert.deepEqual(objectIn(head), { typ: "JWT", alg: "ES256" });
  const { aud, exp, sub } = objectIn(claims) as Record<string, unknown>;
  assert.equal(aud, wanted.audience);
  const seconds = Number(exp) - Date.now() / 1000;
  assert.ok(seconds > 0 && seconds <= 86_400, String(exp));
  assert.match(String(sub), /^mailto:/);
}
