/** Devices for Web Push. */
import { LecternError } from "../../core/errors.ts";
import type { OutputOf } from "../../protocol/operations.ts";
import { hostOf } from "../notify/post.ts";
import type { PushSubscription } from "../notify/push/subscriptions.ts";
import type { Handlers } from "../service.ts";
import type { Daemon } from "./context.ts";

type PushHandlers = Pick<Handlers, "push.list" | "push.subscribe" | "push.unsubscribe">;

export function pushHandlers({ notify }: Pick<Daemon, "notify">): PushHandlers {
  return {
    "push.list": async () => {
      const { devices, gone, publicKey } = await notify.push();
      return { publicKey, devices: devices.map((device) => shown(device)), gone: [...gone] };
    },
    "push.subscribe": async (given) => {
      const device = await (await notify.push()).subscribe(given);
      await notify.subscribed(device.id, given.replaces);
      return shown(device);
    },
    "push.unsubscribe": async ({ device }) => {
      if (!(await notify.push()).unsubscribe(device)) {
        throw new LecternError("NOT_FOUND", `Cannot find device "${device}": it gets no notices any more`);
      }
      return { id: device };
    },
  };
}

const shown = ({ createdAt, endpoint, id, label }: PushSubscription): OutputOf<"push.subscribe"> => ({
  id,
  host: hostOf(endpoint),
  label,
  createdAt,
});
