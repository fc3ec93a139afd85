/**
 * Loaded before all else, and small: what a link to a terminal needs (its code and font, the session, the attachment to it) is asked
 * for in the same moment as the rest of the page.
 */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/sessions.css";
import { waits } from "../core/waits.ts";
import type { Attachment, Session } from "../client.ts";
import { daemon } from "./api.ts";
import { parseRoute } from "./router.ts";
import { attachOptions } from "./terminal/attach-options.ts";

export interface BegunAttachment {
  /** As it was when the attachment was begun. */
  readonly session: Session;
  readonly attachment: Attachment;
}

/** Undefined where the address is of something else; rejects where the daemon does not give it. */
export const earlySession = begin();
let begun = earlySession?.then(attach).catch(() => undefined);
if (begun !== undefined) setTimeout(letGo, waits.arrivalMs);
void import("./main.tsx");
// The list is told over it.
void import("../client/follow-events.ts");

/** The attachment that was begun for this session, once; undefined where there is none. */
export async function takeBegun(session: string): Promise<BegunAttachment | undefined> {
  const taken = begun;
  begun = undefined;
  const found = await taken;
  if (found?.session.id === session) return found;
  found?.attachment.detach();
  return undefined;
}

function begin(): Promise<Session> | undefined {
  const route = parseRoute(location.pathname, new URLSearchParams(location.search));
  if (route.view !== "session" || route.tab !== "terminal") return undefined;
  void document.fonts.load('13px "JetBrains Mono Variable"');
  void import("./terminal/terminal-view.tsx");
  return daemon().call("sessions.get", { session: route.session });
}

async function attach(session: Session): Promise<BegunAttachment> {
  const options = attachOptions(session, { tailBytes: 0, readOnly: false });
  return { session, attachment: await daemon().attach(session.id, options) };
}

function letGo(): void {
  const untaken = begun;
  begun = undefined;
  void untaken?.then((found) => found?.attachment.detach());
}
