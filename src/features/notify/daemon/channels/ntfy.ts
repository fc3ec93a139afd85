/** ntfy, on ntfy.sh or a server of the user's own. */
import { ntfyRequest } from "../../core/ntfy-format.ts";
import { hostOf, post } from "../post.ts";
import type { OpenChannel } from "./channel.ts";

export const openNtfy: OpenChannel<"ntfy"> = (name, settings, { privateTargets, secret }) => ({
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
