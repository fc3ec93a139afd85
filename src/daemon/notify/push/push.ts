/** Web Push: notices for browsers whose page is closed, over the push service of each browser (RFC 8030, 8291, 8292). */
import { createHash } from "node:crypto";
import { LecternError } from "../../../core/errors.ts";
import type { OutgoingNotice } from "../../../core/notify/notice.ts";
import { namesHost, type PrivateTarget } from "../../../core/notify/private-target.ts";
import type { SendOutcome } from "../../../core/notify/pace.ts";
import { oneLine } from "../../../core/text/one-line.ts";
import { closingMessage, pushMessage, type PushMessage } from "../../../core/notify/push-message.ts";
import type { Channel, ChannelSource } from "../channels/channel.ts";
import { hostOf, post, connectionReason } from "../post.ts";
import { checkNoticeTarget, hostTargetOf, TargetRefused } from "../targets.ts";
import { encryptPush, PUSH_TEXT_BYTES_MAX } from "./encrypt.ts";
import { PushSubscriptions, type PushSubscription } from "./subscriptions.ts";
import { openVapidKey, type VapidKey } from "./vapid.ts";

const PUSH = "push";
/** A question whose answer links have ended is still worth seeing; what ended hours ago is not. */
const TTL_SECONDS = 4 * 3600;
const URGENT_PRIORITY = 4;
/** Of RFC 8030, section 5.4. */
const TOPIC_CHARS = 32;
/** Questions on devices whose end is still to be reported; beyond, the oldest stay until somebody presses them. */
const SHOWN_MAX = 200;
/** For the message that takes a question off a device. */
const CLOSE_MS_MAX = 10_000;
/** An uncompressed point, and a secret of RFC 8291. */
const P256DH_BYTES = 65;
const AUTH_BYTES = 16;

export interface PushOptions {
  readonly dataDirectory: string;
  /** What the configuration names. */
  readonly privateTargets: () => readonly PrivateTarget[];
  /** Open questions, as `SESSION QUESTION`. */
  readonly openQuestions: () => ReadonlySet<string>;
  readonly onError: (error: unknown) => void;
}

/** What a browser gives: `PushSubscription.toJSON()`. */
export interface GivenSubscription {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly label: string;
}

export class Push implements ChannelSource {
  readonly #options: PushOptions;
  readonly #subscriptions: PushSubscriptions;
  #key: VapidKey | undefined;
  /** By question: the message on each device. */
  readonly #shown = new Map<string, Map<string, PushMessage>>();

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

  /** Rejects with `INVALID_INPUT` and `LIMIT_EXCEEDED`. */
  async subscribe({ endpoint, keys: { auth, p256dh }, label }: GivenSubscription): Promise<PushSubscription> {
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
    return this.#subscriptions.put({ endpoint, p256dh, auth, label });
  }

  /** A page says where to send, so an address of this network is refused as for a webhook, and anything but https, unless it is named. */
  async #checkEndpoint(endpoint: string): Promise<void> {
    const targets = this.#options.privateTargets();
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    const isNamed = url !== undefined && targets.some((target) => namesHost(target, hostTargetOf(url)));
    if (url === undefined || (url.protocol !== "https:" && !isNamed)) {
      throw new LecternError("INVALID_INPUT", "Cannot push to this endpoint: it is not an https address");
    }
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
    }));
  }

  async forget(name: string): Promise<void> {
    this.#subscriptions.remove(name.slice(PUSH.length + 1));
  }

  /** Takes questions off the devices that are open no more. */
  questionsChanged(): void {
    if (this.#shown.size === 0) return;
    const open = this.#options.openQuestions();
    for (const [question, messages] of this.#shown) {
      if (open.has(question)) continue;
      this.#shown.delete(question);
      for (const device of this.#subscriptions.all) {
        const message = messages.get(device.id);
        if (message === undefined) continue;
        const signal = AbortSignal.timeout(CLOSE_MS_MAX);
        this.#send(device, { message: closingMessage(message), isUrgent: false, signal }).catch(this.#options.onError);
      }
    }
  }

  /** An answer link is used. The device that it was sent to shows what became of it, which is not to be taken off. */
  pressed(token: string): void {
    for (const messages of this.#shown.values()) {
      for (const [device, { answers }] of messages) {
        if (answers.some(({ path }) => path.endsWith(`/${token}`))) messages.delete(device);
      }
    }
  }

  async #notify(device: PushSubscription, notice: OutgoingNotice, signal: AbortSignal): Promise<SendOutcome> {
    const message = pushMessage(notice, PUSH_TEXT_BYTES_MAX);
    const outcome = await this.#send(device, { message, isUrgent: notice.priority >= URGENT_PRIORITY, signal });
    if (outcome.type === "sent" && notice.question !== null && notice.session !== null) {
      this.#remember(`${notice.session.id} ${notice.question.id}`, message, device.id);
      // It may have been answered while this was on its way.
      this.questionsChanged();
    }
    return outcome;
  }

  #remember(question: string, message: PushMessage, device: string): void {
    this.#shown.set(question, (this.#shown.get(question) ?? new Map<string, PushMessage>()).set(device, message));
    for (const oldest of this.#shown.keys()) {
      if (this.#shown.size <= SHOWN_MAX) break;
      this.#shown.delete(oldest);
    }
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
