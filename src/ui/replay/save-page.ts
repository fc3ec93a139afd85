/** Saves a recording as one HTML file that plays offline and cannot fetch anything. */
import { escapeHtml } from "../../core/text/escape.ts";
import type { Session } from "../../client.ts";
import { daemon, messageOf } from "../api.ts";
import { notify } from "../parts/notice.ts";

/** Larger files open too slowly in browsers. */
const CAST_BYTES_MAX = 32 * 1024 * 1024;

export async function saveAsPage(session: Session): Promise<void> {
  try {
    const [player, style, cast] = await Promise.all([
      textOf("/assets/player.js"),
      textOf("/assets/player.css"),
      castOf(session),
    ]);
    const page = await pageOf({ title: session.name, player, style, cast });
    save(new Blob([page], { type: "text/html" }), `${session.name}.html`);
    notify(`Saved ${session.name}.html`);
  } catch (error) {
    notify(messageOf(error), "problem");
  }
}

async function textOf(address: string): Promise<string> {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`Cannot read ${address}: build the page again with "npm run build:ui"`);
  return response.text();
}

async function castOf({ id, name }: Session): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of daemon().bytes("sessions.export", { session: id, format: "asciicast-v2" })) {
    bytes += part.length;
    if (bytes > CAST_BYTES_MAX) {
      throw new Error(`Cannot save ${name} as a page: it is larger than 32 MB; save it as asciicast`);
    }
    parts.push(part);
  }
  return parts;
}

interface PageParts {
  readonly title: string;
  readonly player: string;
  readonly style: string;
  readonly cast: readonly Uint8Array[];
}

/** The recording is base64, so that its text cannot end the element that contains it. */
async function pageOf({ title, player, style, cast }: PageParts): Promise<string> {
  const script = player.replaceAll("</script", "<\\/script");
  const policy = `default-src 'none'; script-src ${await sourceOf(script)}; style-src 'unsafe-inline'; font-src data:`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta http-equiv="content-security-policy" content="${policy}">
<title>${escapeHtml(title)}</title>
<style>${style.replaceAll("</", "<\\/")}</style>
<main id="player" data-title="${escapeHtml(title)}"></main>
<script type="text/plain" id="cast">${toBase64(cast)}</script>
<script>${script}</script>
</html>
`;
}

/** Allows only this script. A page on an insecure address cannot compute its hash. */
async function sourceOf(script: string): Promise<string> {
  const { subtle } = crypto as { readonly subtle?: SubtleCrypto };
  if (subtle === undefined) return "'unsafe-inline'";
  const hash = await subtle.digest("SHA-256", new TextEncoder().encode(script));
  return `'sha256-${toBase64([new Uint8Array(hash)])}'`;
}

function toBase64(parts: readonly Uint8Array[]): string {
  // Each piece is a multiple of three bytes, so that the encoded pieces can be joined.
  const piece = 3 * 8192;
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  let text = "";
  for (let start = 0; start < all.length; start += piece) {
    text += btoa(String.fromCharCode(...all.subarray(start, start + piece)));
  }
  return text;
}

function save(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
