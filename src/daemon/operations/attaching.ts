/** A reader with a keyboard. */
import { LecternError } from "../../core/errors.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import type { Attachment } from "../service.ts";
import type { SessionEntry } from "../session-entry.ts";
import type { Screens } from "../screens.ts";
import { lineStart } from "./line-start.ts";
import { signalName } from "./signal-name.ts";

export async function attach(
  entry: SessionEntry,
  input: ParsedInputOf<"sessions.attach">,
  screens: Screens,
): Promise<Attachment> {
  await entry.refresh();
  const feed = await entry.feed();
  const cursor = feed.openCursor(input.from ?? (await lineStart(feed, input.tailBytes)));
  entry.viewers++;
  const assertWritable = (): void => {
    if (input.readOnly) throw new LecternError("FORBIDDEN", "Cannot type: this reader is attached read-only");
  };
  return {
    sessionId: entry.id,
    cursor,
    columns: entry.stored.columns,
    rows: entry.stored.rows,
    input: async (bytes) => {
      assertWritable();
      await entry.input(bytes, false);
    },
    resize: async (size) => {
      assertWritable();
      await entry.resize(size);
    },
    signal: async (name) => {
      assertWritable();
      const { client, handle } = entry.requireSeat();
      await client.call("signal", { handle, signal: signalName(name) });
    },
    snapshot: () => screens.draw(feed, entry.stored),
    [Symbol.dispose]: () => {
      cursor[Symbol.dispose]();
      entry.viewers--;
    },
  };
}
