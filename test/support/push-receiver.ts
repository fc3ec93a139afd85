/**
 * A push service and a browser in one: takes messages as a push service does, checks who sends (RFC 8292), and decrypts as a browser does
 * (RFC 8291, RFC 8188), with WebCrypto and from the specification alone: nothing of the sender is used.
 */
import assert from "node:assert/strict";
import { webcrypto } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { checkSender } from "./push-sender.ts";

const { subtle } = webcrypto;
type Bytes = Uint8Array<ArrayBuffer>;
const text = (value: string): Bytes => Uint8Array.from(Buffer.from(value));

export interface ReceivedPush {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
  readonly message: Record<string, unknown>;
}

export class PushReceiver implements AsyncDisposable {
  readonly received: ReceivedPush[] = [];
  /** What was wrong with a message. */
  readonly faults: unknown[] = [];
  /** Of the next answers. */
  status = 201;
  /** What the next answers wait for. */
  until: Promise<void> = Promise.resolve();
  /** Of the daemon; messages that another key has signed are faults. */
  applicationServerKey = "";
  readonly #server: Server;
  readonly #keys: webcrypto.CryptoKeyPair;
  readonly #auth: Bytes;
  readonly #publicKey: Bytes;

  private constructor(keys: webcrypto.CryptoKeyPair, publicKey: Bytes) {
    this.#keys = keys;
    this.#publicKey = publicKey;
    this.#auth = webcrypto.getRandomValues(new Uint8Array(16));
    this.#server = createServer((incoming, outgoing) => {
      const chunks: Buffer[] = [];
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
      incoming.on("end", () => {
        this.#take(incoming.headers, Uint8Array.from(Buffer.concat(chunks))).then(
          () => void this.until.then(() => outgoing.writeHead(this.status).end()),
          (error: unknown) => {
            this.faults.push(error);
            outgoing.writeHead(400).end(String(error));
          },
        );
      });
    });
  }

  static async start(): Promise<PushReceiver> {
    const keys = await subtle.generateKey({ name: "ECDH", namedCurve: "P-256" }, true, ["deriveBits"]);
    const receiver = new PushReceiver(keys, new Uint8Array(await subtle.exportKey("raw", keys.publicKey)));
    await once(receiver.#server.listen(0, "127.0.0.1"), "listening");
    return receiver;
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** As `PushSubscription.toJSON()` has it. */
  get subscription(): { readonly endpoint: string; readonly keys: { readonly p256dh: string; readonly auth: string } } {
    const encoded = (bytes: Bytes): string => Buffer.from(bytes).toString("base64url");
    return {
      endpoint: `http://${this.host}/push/a-secret-path`,
      keys: { p256dh: encoded(this.#publicKey), auth: encoded(this.#auth) },
    };
  }

  async #take(headers: IncomingHttpHeaders, body: Bytes): Promise<void> {
    const audience = `http://${this.host}`;
    await checkSender(headers.authorization ?? "", { key: this.applicationServerKey, audience });
    assert.equal(headers["content-encoding"], "aes128gcm");
    assert.match(String(headers["ttl"]), /^\d+$/);
    const message = JSON.parse(Buffer.from(await this.#decrypt(body)).toString("utf8")) as Record<string, unknown>;
    this.received.push({ headers, bytes: body.length, message });
  }

  /** RFC 8188, section 2, with the keys of RFC 8291, section 3. One record. */
  async #decrypt(body: Bytes): Promise<ArrayBuffer> {
    assert.ok(body.length <= 4096);
    const salt = body.slice(0, 16);
    const idLength = body[20] ?? 0;
    const sender = body.slice(21, 21 + idLength);
    const record = body.slice(21 + idLength);
    assert.ok(record.length <= new DataView(body.buffer).getUint32(16));
    const senderKey = await subtle.importKey("raw", sender, { name: "ECDH", namedCurve: "P-256" }, false, []);
    const secret = await subtle.deriveBits({ name: "ECDH", public: senderKey }, this.#keys.privateKey, 256);
    const info = Buffer.concat([text("WebPush: info\0"), this.#publicKey, sender]);
    const shared = await hkdf(secret, { salt: this.#auth, info: Uint8Array.from(info), bytes: 32 });
    const key = await hkdf(shared, { salt, info: text("Content-Encoding: aes128gcm\0"), bytes: 16 });
    const iv = await hkdf(shared, { salt, info: text("Content-Encoding: nonce\0"), bytes: 12 });
    const gcm = await subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
    const plain = new Uint8Array(await subtle.decrypt({ name: "AES-GCM", iv }, gcm, record));
    const end = plain.findLastIndex((byte) => byte !== 0);
    assert.equal(plain[end], 2, "the delimiter of the last record");
    return plain.slice(0, end).buffer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}

async function hkdf(
  secret: ArrayBuffer,
  { bytes, info, salt }: { readonly salt: Bytes; readonly info: Bytes; readonly bytes: number },
): Promise<ArrayBuffer> {
  const key = await subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  return await subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt, info }, key, bytes * 8);
}
