/** The desktop of the user: `notify-send` on its session bus, and the terminals that are attached to sessions. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { OutgoingNotice } from "../../core/notice.ts";
import { runCommand } from "../run-command.ts";
import type { OpenChannel } from "./channel.ts";

const NOTIFY_MS_MAX = 5000;

export const openDesktop: OpenChannel<"desktop"> = (name, { terminals }, { homeDirectory, showInTerminals }) => ({
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
      markup(notice.body),
    ];
    const run = { command, input: "", workingDirectory: homeDirectory, timeoutMs: NOTIFY_MS_MAX, signal };
    const outcome = await runCommand(run);
    return outcome.type !== "sent" && shown > 0 ? { type: "sent", detail: inTerminals } : outcome;
  },
});

const urgencyOf = ({ priority }: OutgoingNotice): string =>
  priority >= 4 ? "critical" : priority === 3 ? "normal" : "low";

/** A body is a subset of HTML. */
const markup = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

function hasSessionBus(): boolean {
  if ((process.env["DBUS_SESSION_BUS_ADDRESS"] ?? "") !== "") return true;
  const runtime = process.env["XDG_RUNTIME_DIR"] ?? "";
  return runtime !== "" && existsSync(join(runtime, "bus"));
}
