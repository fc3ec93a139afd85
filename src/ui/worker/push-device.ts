/**
 * The push subscription of this browser, and the device that the daemon has for it: for the page, and for its service worker, to which a browser
 * reports that it has renewed or dropped the subscription. A service worker has no `localStorage`, so the device is remembered in a cache.
 */
import type { InputOf, OutputOf } from "../../client.ts";

export interface PushCalls {
  readonly list: () => Promise<OutputOf<"push.list">>;
  readonly subscribe: (given: InputOf<"push.subscribe">) => Promise<{ readonly id: string }>;
}

/** What the daemon was told last. */
export interface OwnDevice {
  readonly id: string;
  readonly endpoint: string;
}

const CACHE = "lectern-push-device";
const PLACE = "/push-device";
/** The pages and the worker of this browser take turns: two that subscribe at once would be two devices. */
const LOCK = "lectern-push-device";

/** Undefined while this browser gets no notices. */
export async function ownDevice(): Promise<OwnDevice | undefined> {
  // Missing on a page that is not secure.
  const known = await globalThis.caches?.match(PLACE, { cacheName: CACHE });
  return (await known?.json()) as OwnDevice | undefined;
}

export async function forgetOwnDevice(): Promise<void> {
  await caches.delete(CACHE);
}

/** Subscribes and tells the daemon, also which device it replaces. */
export async function subscribeDevice(pushManager: PushManager, calls: PushCalls): Promise<void> {
  await navigator.locks.request(LOCK, async () => await subscribe(pushManager, calls));
}

/**
 * Subscribes again if messages would not arrive any more: the browser has another subscription than the daemon, or none, or its push service
 * does not know the one that it has. Not if a person has stopped the notices, on whatever device.
 */
export async function renewDevice(pushManager: PushManager, calls: PushCalls): Promise<void> {
  await navigator.locks.request(LOCK, async () => await renew(pushManager, calls));
}

async function subscribe(pushManager: PushManager, calls: PushCalls): Promise<void> {
  const { gone, publicKey } = await calls.list();
  const own = await ownDevice();
  if (own !== undefined && gone.includes(own.id)) {
    const current = await pushManager.getSubscription();
    // Its push service does not know it any more, and the browser may not know that.
    if (current?.endpoint === own.endpoint) await current.unsubscribe();
  }
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  // A subscription for another key, such as that of a daemon before, is of no use.
  const subscription = await pushManager.subscribe(options).catch(async (error: unknown) => {
    const old = await pushManager.getSubscription();
    if (old === null) throw error;
    await old.unsubscribe();
    return await pushManager.subscribe(options);
  });
  const { endpoint = "", keys: { auth = "", p256dh = "" } = {} } = subscription.toJSON();
  const given = { endpoint, keys: { auth, p256dh }, label: nameOfDevice() };
  const { id } = await calls.subscribe(own === undefined ? given : { ...given, replaces: own.id });
  await (await caches.open(CACHE)).put(PLACE, Response.json({ id, endpoint } satisfies OwnDevice));
}

async function renew(pushManager: PushManager, calls: PushCalls): Promise<void> {
  const own = await ownDevice();
  if (own === undefined || Notification.permission !== "granted") return;
  const { devices, gone, publicKey } = await calls.list();
  const isGone = gone.includes(own.id);
  if (!isGone && !devices.some(({ id }) => id === own.id)) return;
  const current = await pushManager.getSubscription();
  if (!isGone && current?.endpoint === own.endpoint && keyOf(current) === publicKey) return;
  await subscribe(pushManager, calls);
}

/** Base64url, as the daemon gives it. */
function keyOf({ options: { applicationServerKey } }: PushSubscription): string {
  const bytes = new Uint8Array(applicationServerKey ?? new ArrayBuffer());
  return btoa(String.fromCodePoint(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}

/** `Chrome on Android`: enough to tell devices apart. */
function nameOfDevice(): string {
  const { userAgent } = navigator;
  const browser = /Firefox|Edg|Chrome|Safari/.exec(userAgent)?.[0].replace("Edg", "Edge") ?? "Browser";
  const system = /Android|iPhone|iPad|Windows|Mac|Linux/.exec(userAgent)?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
