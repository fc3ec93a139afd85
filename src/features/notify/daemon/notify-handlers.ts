/** Notices, the devices for Web Push, and who has seen a session. */
import { LecternError } from "../../../core/errors.ts";
import type { NoticeRow } from "../../../daemon/store/notify-schema.ts";
import type { Notifier } from "./notifier.ts";
import type { Handlers } from "../../../daemon/service.ts";
import type { SessionRegistry } from "../../../daemon/sessions/session-registry.ts";
import type { Notify } from "./notify.ts";
import type { OutputOf } from "../../../protocol/operations.ts";
import { hostOf } from "./post.ts";
import type { PushSubscription } from "./push/subscriptions.ts";

type NotifyHandlers = Pick<
  Handlers,
  | "notify.list"
  | "notify.test"
  | "notify.retry"
  | "notify.remove"
  | "push.list"
  | "push.subscribe"
  | "push.unsubscribe"
  | "sessions.seen"
>;

const STATES = ["pending", "dead", "sent", "withdrawn"] as const;
/** Of `notify.retry` for all. */
const RETRIED_MAX = 1000;

export function notifyHandlers(notify: Notify, registry: SessionRegistry): NotifyHandlers {
  return {
    "notify.list": async ({ limit, state }) => {
      const notifier = await notify.use();
      const rows = await notifier.store.list(state === undefined ? STATES : [state], limit);
      const channels = (await notifier.channels.all()).map(({ kind, name, target }) => ({
        name,
        kind,
        target,
        disabled: notifier.outbox.disabled(name) ?? null,
      }));
      return { notices: rows.map((row) => shown(row)), channels, publicUrl: notify.settings.notify.publicUrl ?? null };
    },
    "notify.test": async ({ channel }, { signal }) => {
      const notifier = await notify.use();
      const isPage = (await notifier.channels.named(channel))?.isPage === true;
      const outcome = await notifier.test(channel, signal);
      if (outcome === undefined) throw await unknownChannel(channel, notifier);
      const isSent = outcome.type === "sent";
      return {
        channel,
        sent: isSent,
        detail: isSent ? outcome.detail : outcome.reason,
        hasLinks: isPage || notify.settings.notify.publicUrl !== undefined,
      };
    },
    "notify.retry": async ({ ids }) => {
      const notifier = await notify.use();
      const rows = ids === undefined ? await notifier.store.list(["dead"], RETRIED_MAX) : await rowsOf(ids, notifier);
      for (const row of rows) await notifier.outbox.retry(row);
      return { ids: rows.map(({ id }) => id) };
    },
    "notify.remove": async ({ notice }) => {
      const notifier = await notify.use();
      await rowsOf([notice], notifier);
      await notifier.remove([notice]);
      return { id: notice };
    },
    "push.list": async () => {
      const { devices, gone, publicKey } = await notify.push();
      return { publicKey, devices: devices.map((device) => shownDevice(device)), gone: [...gone] };
    },
    "push.subscribe": async (given) => {
      const device = await (await notify.push()).subscribe(given);
      await notify.subscribed(device.id, given.replaces);
      return shownDevice(device);
    },
    "push.unsubscribe": async ({ device }) => {
      if (!(await notify.push()).unsubscribe(device))
        throw new LecternError("NOT_FOUND", `Cannot find device "${device}": it gets no notices any more`);
      return { id: device };
    },
    "sessions.seen": async ({ session }) => {
      const { id, lease } = registry.resolve(session);
      lease.see(Date.now());
      return await Promise.resolve({ id });
    },
  };
}

const shown = ({ attempts, channel, createdMs, id, nextMs, notice, reason, session, state }: NoticeRow) => ({
  id,
  kind: notice.kind,
  channel,
  session,
  title: notice.title,
  state,
  reason,
  attempts,
  createdAt: new Date(createdMs).toISOString(),
  nextAt: state === "pending" ? new Date(nextMs).toISOString() : null,
});

/** Throws `NOT_FOUND` for one that does not exist. */
async function rowsOf(ids: readonly string[], notifier: Notifier): Promise<NoticeRow[]> {
  const rows: NoticeRow[] = [];
  for (const id of ids) {
    const row = await notifier.store.find(id);
    if (row === undefined)
      throw new LecternError("NOT_FOUND", `Cannot find notice "${id}": list them with "lectern notify ls"`);
    rows.push(row);
  }
  return rows;
}

async function unknownChannel(name: string, { channels }: Notifier): Promise<LecternError> {
  const known = (await channels.all()).map((channel) => `"${channel.name}"`).join(", ");
  const next =
    known === "" ? "add one to notify.channels in lectern.yaml, see docs/notifications.md" : `there are ${known}`;
  return new LecternError("NOT_FOUND", `Cannot find channel "${name}": ${next}`);
}

const shownDevice = ({ createdAt, endpoint, id, label }: PushSubscription): OutputOf<"push.subscribe"> => ({
  id,
  host: hostOf(endpoint),
  label,
  createdAt,
});
