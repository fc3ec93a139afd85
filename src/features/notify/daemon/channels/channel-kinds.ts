/** The kinds of channels that the configuration can have. */
import { createHmac } from "node:crypto";
import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { escapeMarkup } from "../../../../core/text/escape.ts";
import { discordBody, slackBody } from "../../core/chat-format.ts";
import type { OutgoingNotice } from "../../core/notice.ts";
import { ntfyRequest } from "../../core/ntfy-format.ts";
import type { ChannelSettings } from "../../core/settings.ts";
import { secretBase64, signedText, webhookBody } from "../../core/webhook-format.ts";
import { hostOf, post } from "../post.ts";
import { runCommand } from "../run-command.ts";
import type { Channel, ChannelContext } from "./channel.ts";

const NOTIFY_MS_MAX = 5000;

type OpenChannel<Kind extends ChannelSettings["kind"]> = (
  name: string,
  settings: Extract<ChannelSettings, { readonly kind: Kind }>,
  context: ChannelContext,
) => Channel;

export function openChannel(name: string, settings: ChannelSettings, context: ChannelContext): Channel {
  switch (settings.kind) {
    case "command":
      return openCommand(name, settings, context);
    case "desktop":
      return openDesktop(name, settings, context);
    case "ntfy":
      return openNtfy(name, settings, context);
    case "webhook":
      return openWebhook(name, settings, context);
    case "discord":
    case "slack":
      return openChat(name, settings, context);
  }
}

/** A command of the user, with the notice on its standard input as a webhook would have it. */
const openCommand: OpenChannel<"command"> = (name, settings, { homeDirectory }) => ({
  name,
  kind: "command",
  target: basename(settings.command[0] ?? ""),
  answers: settings.answers,
  send: async (notice, signal) =>
    await runCommand({
      command: settings.command,
      input: `${webhookBody(notice)}\n`,
      workingDirectory: settings.workingDirectory ?? homeDirectory,
      timeoutMs: settings.timeoutMs,
      signal,
    }),
});

/** The desktop of the user: `notify-send` on its session bus, and the terminals that are attached to sessions. */
const openDesktop: OpenChannel<"desktop"> = (name, { terminals }, { homeDirectory, showInTerminals }) => ({
  name,
  kind: "desktop",
  target: hasSessionBus() ? "notify-send" : "terminals of lectern attach",
  answers: false,
  async send(notice, signal) {
    const shown = terminals ? showInTerminals(notice) : 0;
    const inTerminals = `shown in ${shown} ${shown === 1 ? "terminal" : "terminals"}`;
    if (!hasSessionBus()) {
      if (shown > 0) return { type: "sent", detail: inTerminals };
      const next = 'start the daemon in a desktop session, or keep a "lectern attach" open';
      return {
        type: "refused",
        reason: `Nobody to show it to: there is no session bus and no attached terminal; ${next}`,
      };
    }
    const command = [
      "notify-send",
      "--app-name=Lectern",
      `--urgency=${urgencyOf(notice)}`,
      "--",
      notice.title,
      // A body is a subset of HTML.
      escapeMarkup(notice.body),
    ];
    const run = { command, input: "", workingDirectory: homeDirectory, timeoutMs: NOTIFY_MS_MAX, signal };
    const outcome = await runCommand(run);
    return outcome.type !== "sent" && shown > 0 ? { type: "sent", detail: inTerminals } : outcome;
  },
});

const urgencyOf = ({ priority }: OutgoingNotice): string =>
  priority >= 4 ? "critical" : priority === 3 ? "normal" : "low";

function hasSessionBus(): boolean {
  if ((process.env["DBUS_SESSION_BUS_ADDRESS"] ?? "") !== "") return true;
  const runtime = process.env["XDG_RUNTIME_DIR"] ?? "";
  return runtime !== "" && existsSync(join(runtime, "bus"));
}

/** ntfy, on ntfy.sh or a server of the user's own. */
const openNtfy: OpenChannel<"ntfy"> = (name, settings, { privateTargets, secret }) => ({
  name,
  kind: "ntfy",
  target: hostOf(settings.url),
  answers: settings.answers,
  async send(notice, signal) {
    const { body, headers } = ntfyRequest(notice);
    const access = settings.token === undefined ? {} : { Authorization: `Bearer ${secret(settings.token)}` };
    return await post({
      url: settings.url,
      headers: { "content-type": "text/plain; charset=utf-8", ...headers, ...access },
      body,
      privateTargets: privateTargets(),
      signal,
    });
  },
});

/** Signed webhooks: https://www.standardwebhooks.com */
const openWebhook: OpenChannel<"webhook"> = (name, settings, { privateTargets, secret }) => ({
  name,
  kind: "webhook",
  target: hostOf(settings.url),
  answers: settings.answers,
  async send(notice, signal) {
    const body = webhookBody(notice);
    const timestampS = Math.floor(Date.now() / 1000);
    const headers: Record<string, string> = {
      "content-type": "application/json",
      "webhook-id": notice.id,
      "webhook-timestamp": String(timestampS),
    };
    if (settings.secret !== undefined) {
      const key = secretBase64(secret(settings.secret));
      if (key === undefined)
        return {
          type: "refused",
          reason: "Its secret is not whsec_ and at least 24 bytes in base64: check the configuration",
        };
      const hmac = createHmac("sha256", Buffer.from(key, "base64"));
      headers["webhook-signature"] = `v1,${hmac.update(signedText(notice.id, timestampS, body)).digest("base64")}`;
    }
    return await post({ url: settings.url, headers, body, privateTargets: privateTargets(), signal });
  },
});

/** Incoming webhooks of Slack and Discord: text and a link. Their address is a secret. */
const openChat = (
  name: string,
  { kind, url }: Extract<ChannelSettings, { readonly kind: "slack" | "discord" }>,
  { privateTargets, secret }: ChannelContext,
): Channel => ({
  name,
  kind,
  target: `incoming webhook of ${kind === "slack" ? "Slack" : "Discord"}`,
  // A chat has many readers, and link previews.
  answers: false,
  send: async (notice, signal) =>
    await post({
      url: secret(url),
      headers: { "content-type": "application/json" },
      body: kind === "slack" ? slackBody(notice) : discordBody(notice),
      privateTargets: privateTargets(),
      signal,
    }),
});
