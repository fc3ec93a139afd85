/** Notifications on this device while the page is closed, by the push service of its browser. */
import type { OutputOf } from "../../client.ts";
import { daemon } from "../api.ts";
import { forgetOwnDevice, ownDevice, renewDevice, subscribeDevice, type PushCalls } from "../worker/push-device.ts";

type PushDevice = OutputOf<"push.list">["devices"][number];

export interface PushState {
  /** Why this device cannot get notices, and what to do about it; undefined if it can. */
  readonly problem: string | undefined;
  readonly devices: readonly PushDevice[];
  /** Id of this device; undefined while it gets no notices. */
  readonly own: string | undefined;
}

const calls: PushCalls = {
  list: async () => await daemon().call("push.list", {}),
  subscribe: async (given) => await daemon().call("push.subscribe", given),
};

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
  const { devices } = await calls.list();
  const own = (await ownDevice())?.id;
  return { problem: whyNoPush(), devices, own: devices.find(({ id }) => id === own)?.id };
}

/** Asks for permission and subscribes. Rejects with the reason, in words for the person. */
export async function startPush(): Promise<void> {
  if ((await Notification.requestPermission()) !== "granted") throw new Error("This browser was not allowed to notify");
  const { pushManager } = await navigator.serviceWorker.ready;
  await subscribeDevice(pushManager, calls);
}

/** At each load: what the browser changed while nobody could tell the daemon. Without this right there is nothing to tell. */
export async function keepPush(): Promise<void> {
  if (whyNoPush() !== undefined || (await ownDevice()) === undefined) return;
  const { pushManager } = await navigator.serviceWorker.ready;
  await renewDevice(pushManager, calls).catch(() => undefined);
}

/** Of this device or another one. */
export async function stopPush(device: string): Promise<void> {
  await daemon().call("push.unsubscribe", { device });
  if ((await ownDevice())?.id !== device) return;
  await forgetOwnDevice();
  const registration = await navigator.serviceWorker?.getRegistration();
  await (await registration?.pushManager?.getSubscription())?.unsubscribe();
}

/** Sends a notice to a device now. Rejects with the reason if its push service did not take it. */
export async function testPush(device: string): Promise<void> {
  const { detail, sent } = await daemon().call("notify.test", { channel: `push/${device}` });
  if (!sent) throw new Error(detail);
}
