/** Web Push: notices for browsers whose page is closed, over the push service of each browser (RFC 8030, 8291, 8292). */
import {
  createHash,
  createPrivateKey,
  generateKeyPairSync,
  sign,
  type KeyObject,
  createCipheriv,
  createECDH,
  hkdfSync,
  randomBytes,
} from "node:crypto";
import { LecternError } from "../../../../core/errors.ts";
import type { OutgoingNotice } from "../../core/notice.ts";
import { namesHost, type PrivateTarget } from "../../core/private-target.ts";
import type { SendOutcome } from "../../core/pace.ts";
import { oneLine } from "../../../../core/text/one-line.ts";
import { closingMessage, pushMessage, type PushMessage } from "../../core/push-message.ts";
import type { Channel, ChannelSource } from "../channels/channel.ts";
import { hostOf, post, connectionReason } from "../post.ts";
import { checkNoticeTarget, hostTargetOf, TargetRefused } from "../targets.ts";
import { PushSubscriptions, type PushSubscription } from "./subscriptions.ts";
import { join } from "node:path";
import { createPrivateFile, readPrivateFile } from "../../../../host/private-directory.ts";

const PUSH = "push";
/** A question whose answer links have ended is still worth seeing; what ended hours ago is not. */
const TTL_SECONDS = 4 * 3600;
const URGENT_PRIORITY = 4;
/** Of RFC 8030, section 5.4. */
const TOPIC_CHARS = 32;
/** An uncompressed point, and a secret of RFC 8291. */
const P256DH_BYTES = 65;
const AUTH_BYTES = 16;

export interface PushOptions {
  readonly dataDirectory: string;
  /** What the configuration names. */
  readonly privateTargets: () => readonly PrivateTarget[];
}

/** What a browser gives: `PushSubscription.toJSON()`. */
export interface GivenSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly label: string;
  /** Id of the device that this browser was before. */
  readonly replaces?: string | undefined;
}

export class Push implements ChannelSource {
  readonly #options: PushOptions;
  readonly #subscriptions: PushSubscriptions;
  #key: VapidKey | undefined;

  constructor(options: PushOptions) {
    this.#options = options;
    this.#subscriptions = new PushSubscriptions(options.dataDirectory);
  }

  /** Made at the first use. */
  get publicKey(): string {
    return this.#vapid.publicKey;
  }

  get #vapid(): VapidKey {
    return (this.#key ??= openVapidKey(this.#options.dataDirectory));
  }

  get devices(): readonly PushSubscription[] {
    return this.#subscriptions.all;
  }

  /** Devices that their push service does not know any more. */
  get gone(): readonly string[] {
    return this.#subscriptions.gone;
  }

  /** Rejects with `INVALID_INPUT` and `LIMIT_EXCEEDED`. */
  async subscribe({ endpoint, keys: { auth, p256dh }, label, replaces }: GivenSubscription): Promise<PushSubscription> {
    await this.#checkEndpoint(endpoint);
    const keys = { p256dh: Buffer.from(p256dh, "base64url"), auth: Buffer.from(auth, "base64url") };
    try {
      if (keys.p256dh.length !== P256DH_BYTES || keys.auth.length !== AUTH_BYTES) throw new RangeError("length");
      encryptPush(Buffer.from("?"), keys);
    } catch (cause) {
      throw new LecternError("INVALID_INPUT", "Cannot encrypt for this browser: its keys are not those of RFC 8291", {
        cause,
      });
    }
    return this.#subscriptions.put({ endpoint, p256dh, auth, label }, replaces);
  }

  /** A page says where to send, so an address of this network is refused as for a webhook, and anything but https, unless it is named. */
  async #checkEndpoint(endpoint: string): Promise<void> {
    const targets = this.#options.privateTargets();
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    const isNamed = url !== undefined && targets.some((target) => namesHost(target, hostTargetOf(url)));
    if (url === undefined || (url.protocol !== "https:" && !isNamed))
      throw new LecternError("INVALID_INPUT", "Cannot push to this endpoint: it is not an https address");
    try {
      await checkNoticeTarget(url, targets);
    } catch (cause) {
      const reason =
        cause instanceof TargetRefused
          ? cause.message
          : `${url.host}: ${connectionReason(cause)}; the machine of the daemon must reach the push service of the browser`;
      throw new LecternError("INVALID_INPUT", `Cannot push to this endpoint: ${reason}`, { cause });
    }
  }

  unsubscribe(id: string): boolean {
    return this.#subscriptions.remove(id);
  }

  channels(): readonly Channel[] {
    return this.#subscriptions.all.map((subscription) => ({
      name: `${PUSH}/${subscription.id}`,
      kind: PUSH,
      target: `${hostOf(subscription.endpoint)}${subscription.label === "" ? "" : ` (${subscription.label})`}`,
      answers: true,
      isPage: true,
      ...(subscription.label !== "" && { person: `${PUSH} (${oneLine(subscription.label)})` }),
      send: async (notice, signal) => await this.#notify(subscription, notice, signal),
      takeOff: async ({ session, title }, signal) =>
        await this.#send(subscription, { message: closingMessage(session, title), isUrgent: false, signal }),
    }));
  }

  async forget(name: string): Promise<void> {
    this.#subscriptions.setGone(name.slice(PUSH.length + 1));
  }

  async #notify(device: PushSubscription, notice: OutgoingNotice, signal: AbortSignal): Promise<SendOutcome> {
    const message = pushMessage(notice, PUSH_TEXT_BYTES_MAX);
    return await this.#send(device, { message, isUrgent: notice.priority >= URGENT_PRIORITY, signal });
  }

  async #send(
    device: PushSubscription,
    {
      isUrgent,
      message,
      signal,
    }: { readonly isUrgent: boolean; readonly message: PushMessage; readonly signal: AbortSignal },
  ): Promise<SendOutcome> {
    const { auth, endpoint, p256dh } = device;
    const keys = { p256dh: Buffer.from(p256dh, "base64url"), auth: Buffer.from(auth, "base64url") };
    return await post({
      url: endpoint,
      headers: {
        authorization: this.#vapid.authorization(endpoint, Date.now()),
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        ttl: String(TTL_SECONDS),
        topic: topicOf(message.tag),
        urgency: isUrgent ? "high" : "normal",
      },
      body: encryptPush(Buffer.from(JSON.stringify(message)), keys),
      privateTargets: this.#options.privateTargets(),
      signal,
    });
  }
}

/** While a device is away, a newer message about the same session takes the place of an older one. */
const topicOf = (tag: string): string => createHash("sha256").update(tag).digest("base64url").slice(0, TOPIC_CHARS);

const KEY_FILE = "push-key.pem";
/** Push services accept at most 24 hours (RFC 8292, section 2). */
const STATEMENT_SECONDS = 12 * 3600;
/** Push services want a contact. There is no person behind this key whom a message could reach, so the address is a reserved one (RFC 2606). */
const CONTACT = "mailto:push@lectern.invalid";

class VapidKey {
  readonly #key: KeyObject;
  /** Uncompressed point on P-256, base64url: what a browser subscribes with. */
  readonly publicKey: string;

  constructor(key: KeyObject) {
    this.#key = key;
    const { x = "", y = "" } = key.export({ format: "jwk" });
    const point = [Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")];
    this.publicKey = Buffer.concat(point).toString("base64url");
  }

  /** The `Authorization` header for a request to this address. */
  authorization(endpoint: string, nowMs: number): string {
    const claims = { aud: new URL(endpoint).origin, exp: Math.floor(nowMs / 1000) + STATEMENT_SECONDS, sub: CONTACT };
    const text = `${encoded({ typ: "JWT", alg: "ES256" })}.${encoded(claims)}`;
    const signature = sign("sha256", Buffer.from(text), { key: this.#key, dsaEncoding: "ieee-p1363" });
    return `vapid t=${text}.${signature.toString("base64url")}, k=${this.publicKey}`;
  }
}

/**
 * The key in the data directory, created by the first who needs it. Without it all subscriptions are worthless, so a damaged one is never
 * replaced silently. Throws `UNSAFE_PERMISSIONS` and `NOT_AVAILABLE`.
 */
function openVapidKey(dataDirectory: string): VapidKey {
  const path = join(dataDirectory, KEY_FILE);
  const existing = readPrivateFile(path);
  if (existing === undefined) {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    createPrivateFile(path, privateKey.export({ type: "pkcs8", format: "pem" }));
    return new VapidKey(privateKey);
  }
  try {
    const key = createPrivateKey(existing);
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return new VapidKey(key);
  } catch {
    // Reported below.
  }
  throw new LecternError(
    "NOT_AVAILABLE",
    `Cannot read the key in "${path}": restore it, or remove it and let each browser subscribe again`,
  );
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");

// The body of a push message: encrypted for one browser by RFC 8291, in one record of RFC 8188 (`aes128gcm`).

/** What a browser gave for a subscription, as bytes. */
interface PushKeys {
  /** Its public key on P-256, uncompressed: 65 bytes. */
  readonly p256dh: Uint8Array;
  /** Its secret, which the push service does not have: 16 bytes. */
  readonly auth: Uint8Array;
}

/** The parts that are random; given only by tests. */
interface PushRandom {
  readonly salt: Uint8Array;
  /** Private key on P-256. */
  readonly privateKey: Uint8Array;
}

const RECORD_BYTES = 4096;
const SALT_BYTES = 16;
const PUBLIC_KEY_BYTES = 65;
const TAG_BYTES = 16;
const HEADER_BYTES = SALT_BYTES + 4 + 1 + PUBLIC_KEY_BYTES;
/** Of the text; push services take bodies of 4096 bytes (RFC 8030, section 7.2). */
export const PUSH_TEXT_BYTES_MAX = RECORD_BYTES - HEADER_BYTES - TAG_BYTES - 1;
/** Ends the last record (RFC 8188, section 2). */
const LAST_RECORD = Buffer.of(2);

/** Throws a `RangeError` for a longer text, and the error of `node:crypto` for keys that are not on the curve. */
export function encryptPush(text: Uint8Array, keys: PushKeys, random?: PushRandom): Buffer {
  if (text.length > PUSH_TEXT_BYTES_MAX)
    throw new RangeError(`Cannot push ${text.length} bytes: at most ${PUSH_TEXT_BYTES_MAX}`);
  const salt = random?.salt ?? randomBytes(SALT_BYTES);
  const own = createECDH("prime256v1");
  if (random === undefined) own.generateKeys();
  else own.setPrivateKey(random.privateKey);
  const ownPublic = own.getPublicKey();
  const info = Buffer.concat([Buffer.from("WebPush: info\0"), keys.p256dh, ownPublic]);
  const shared = derive(own.computeSecret(keys.p256dh), { salt: keys.auth, info, bytes: 32 });
  const key = derive(shared, { salt, info: Buffer.from("Content-Encoding: aes128gcm\0"), bytes: 16 });
  const nonce = derive(shared, { salt, info: Buffer.from("Content-Encoding: nonce\0"), bytes: 12 });
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const record = [cipher.update(text), cipher.update(LAST_RECORD), cipher.final(), cipher.getAuthTag()];
  const header = Buffer.alloc(SALT_BYTES + 5);
  header.set(salt);
  header.writeUInt32BE(RECORD_BYTES, SALT_BYTES);
  header.writeUInt8(PUBLIC_KEY_BYTES, SALT_BYTES + 4);
  return Buffer.concat([header, ownPublic, ...record]);
}

const derive = (
  secret: Uint8Array,
  { salt, info, bytes }: { readonly salt: Uint8Array; readonly info: Uint8Array; readonly bytes: number },
): Buffer => Buffer.from(hkdfSync("sha256", secret, salt, info, bytes));
