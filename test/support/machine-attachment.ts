/** Attachments to the sessions of another machine, as the client library makes them. */
import { Attachment, type AttachmentOptions } from "../../src/client/attachment.ts";
import type { LecternClient } from "../../src/client/client.ts";
import type { Transport } from "../../src/client/transport.ts";
import { machinePath } from "../../src/protocol/routes.ts";

/** To a session of the machine "box", through the daemon that the transport reaches. */
export function attachToBox(
  transport: Transport,
  session: string,
  query: string,
  options: AttachmentOptions = {},
): Attachment {
  const path = machinePath("box", `/v1/sessions/${session}/attach?${query}`);
  return new Attachment(
    (from, handlers) =>
      transport.openSocket({
        path: from === undefined ? path : `${path}&from=${from}`,
        protocol: "lectern.v1",
        handlers,
      }),
    { reconnectMsMax: 200, ...options },
  );
}

/** All that comes until it ends. */
export async function outputOf(attachment: Attachment): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const item of attachment) if (item.type === "output") chunks.push(item.bytes);
  return Buffer.concat(chunks);
}

/** What a daemon has of a session. */
export const bytesOf = async (client: LecternClient, session: string): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(client.bytes("sessions.output", { session })));
