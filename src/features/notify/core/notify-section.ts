/** What is reported outside of this machine, and where to. */
import {
  channelProblems,
  channelsSchema,
  privateTargetProblems,
  readChannels,
  readNotifyRules,
  readPrivateTargets,
  ruleProblems,
  rulesSchema,
  unknownChannels,
  urlProblems,
} from "./read-settings.ts";
import type { ChannelSettings } from "./settings.ts";
import type { PrivateTarget } from "./private-target.ts";
import type { NotifyRule } from "./rules.ts";
import { configKey } from "../../../core/config/config-key.ts";

export const notifySection = {
  summary: "What is reported to phones, chats and webhooks; see [notifications](notifications.md).",
  problems: unknownChannels,
  keys: {
    channels: configKey<Readonly<Record<string, ChannelSettings>>>({
      type: "map of channels",
      default: {},
      schema: channelsSchema,
      read: readChannels,
      problems: channelProblems,
      summary: "Channels by name; `kind` is `webhook`, `ntfy`, `slack`, `discord`, `desktop` or `command`.",
    }),
    rules: configKey<readonly NotifyRule[]>({
      type: "list of rules",
      default: [],
      schema: rulesSchema,
      read: readNotifyRules,
      problems: ruleProblems,
      summary: "What goes to which channels; the first rule that names a channel decides for it.",
    }),
    privateTargets: configKey<readonly PrivateTarget[]>({
      type: "list of hosts, addresses and networks",
      default: [],
      schema: { type: "array", maxItems: 200, items: { type: "string", minLength: 1, maxLength: 4096 } },
      read: readPrivateTargets,
      problems: privateTargetProblems,
      summary: "Private hosts to which notices may go, such as `ntfy.lan`, `127.0.0.1:8080` or `10.0.0.0/8`.",
    }),
    publicUrl: configKey<string | undefined>({
      type: "address",
      default: undefined,
      schema: { type: "string", minLength: 1, maxLength: 2048 },
      problems: (data) => urlProblems(String(data), { like: "https://box.example" }),
      summary: "Where a phone reaches this daemon; without it notices have no links and no answer buttons.",
    }),
  },
};
