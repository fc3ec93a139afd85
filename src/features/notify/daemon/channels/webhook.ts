/** Signed webhooks: https://www.standardwebhooks.com */
import { createHmac } from "node:crypto";
import { secretBase64, signedText, webhookBody } from "../../core/webhook-format.ts";
import { hostOf, post } from "../post.ts";
import type { OpenChannel } from "./channel.ts";

export const openWebhook: OpenChannel<"webhook"> = (name, settings, { privateTargets, secret }) => ({
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
