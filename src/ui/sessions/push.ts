/** Notices on this device while the page is closed, by the push service of its browser. */
import type { OutputOf } from "../../client.ts";
import { daemon } from "../api.ts";

type PushDevice = OutputOf<"push.list">["devices"][number];

export interface PushState {
  /** Why this device cannot get notices, and what to do about it; undefined if it can. */
  readonly problem: string | undefined;
  readonly devices: readonly PushDevice[];
  /** Id of this device; undefined while it gets no notices. */
  readonly own: string | undefined;
}

const OWN_KEY = "lectern-push-device";

/** What this browser lacks; undefined if nothing. */
function whyNoPush(): string | undefined {
  if (!isSecureContext) {
    return "Browsers allow this only on a secure page: open it by https or on localhost, for example over a tailnet or ssh -L.";
  }
  const isApple = /iPhone|iPad/.test(navigator.userAgent);
  if (!("serviceWorker" in navigator) || !("PushManager" in globalThis) || !("Notification" in globalThis)) {
    return isApple
      ? "On an iPhone or iPad, add this page to the home screen (Share, Add to Home Screen) and open it from there."
      : "This browser has no push messages, or a private window has them off.";
  }
  return Notification.permission === "denied"
    ? "This browser blocks notifications of this page: allow them in its settings for this address."
    : undefined;
}

export async function readPushState(): Promise<PushState> {
  const { devices } = await daemon().call("push.list", {});
  const own = localStorage.getItem(OWN_KEY);
  const isKnown = devices.some(({ id }) => id === own);
  return { problem: whyNoPush(), devices, own: isKnown && own !== null ? own : undefined };
}

/** Asks for permission and subscribes. Rejects with the reason, in words for the person. */
export async function startPush(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("This browser was not allowed to notify");
  const { publicKey } = await daemon().call("push.list", {});
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: publicKey };
  // A subscription for another key, such as that of a daemon before, is of no use.
  const subscription = await pushManager.subscribe(options).catch(async (error: unknown) => {
    const old = await pushManager.getSubscription();
    if (old === null) throw error;
    await old.unsubscribe();
    return await pushManager.subscribe(options);
  });
  const { endpoint, keys = {} } = subscription.toJSON();
  const { auth = "", p256dh = "" } = keys;
  const device = await daemon().call("push.subscribe", {
    endpoint: endpoint ?? "",
    keys: { auth, p256dh },
    label: nameOfDevice(),
  });
  localStorage.setItem(OWN_KEY, device.id);
}

/** Of this device or another one. */
export async function stopPush(device: string): Promise<void> {
  await daemon().call("push.unsubscribe", { device });
  if (localStorage.getItem(OWN_KEY) !== device) return;
  localStorage.removeItem(OWN_KEY);
  const registration = await navigator.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/** Sends a notice to a device now. Rejects with the reason if its push service did not take it. */
export async function testPush(device: string): Promise<void> {
  const { detail, sent } = await daemon().call("notify.test", { channel: `push/${device}` });
  if (!sent) throw new Error(detail);
}

/** `Chrome on Android`: enough to tell devices apart. */
function nameOfDevice(): string {
  const { userAgent } = navigator;
  const browser = /Firefox|Edg|Chrome|Safari/.exec(userAgent)?.[0].replace("Edg", "Edge") ?? "Browser";
  const system = /Android|iPhone|iPad|Windows|Mac|Linux/.exec(userAgent)?.[0];
  return system === undefined ? browser : `${browser} on ${system}`;
}
