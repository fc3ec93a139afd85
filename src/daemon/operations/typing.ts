/** What goes into a session: text, keys, sizes. */
import { LecternError } from "../../core/errors.ts";
import { encodeKeys } from "../../core/input/keys.ts";
import type { ParsedInputOf } from "../../protocol/operations.ts";
import { encodePaste } from "../../core/input/paste.ts";
import type { Handlers } from "../service.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";
import type { Daemon } from "./context.ts";

type TypingHandlers = Pick<Handlers, "sessions.input" | "sessions.keys" | "sessions.resize">;

export function typingHandlers({ registry, views }: Pick<Daemon, "registry" | "views">): TypingHandlers {
  return {
    "sessions.input": async (input) =>
      freeToType(registry, input).input(bytesOf(input), { secret: input.secret, key: input.key }),
    "sessions.keys": async (input) => {
      const bytes = await bytesOfKeys(views, registry.resolve(input.session), input.keys);
      return await freeToType(registry, input).input(bytes);
    },
    "sessions.resize": async ({ session, columns, rows }) => {
      const entry = registry.resolve(session);
      await entry.resize({ columns, rows });
      await registry.save(entry);
      return entry.view;
    },
  };
}

/** Throws `SESSION_ENDED` or `HOST_UNREACHABLE`, and `CONFLICT` while somebody else types, where that is not taken over. */
function freeToType(
  registry: SessionRegistry,
  { session, take }: { readonly session: string; readonly take: boolean },
): SessionEntry {
  const entry = registry.resolve(session);
  entry.requireSeat();
  if (take) entry.lease.clear(Date.now());
  else entry.lease.assertFree(Date.now());
  return entry;
}

/** As its terminal sends them: a program that has asked for application keys takes an arrow without them for Escape and two letters. */
async function bytesOfKeys(views: Daemon["views"], entry: SessionEntry, keys: readonly string[]): Promise<Uint8Array> {
  const [normal, application] = [encodeKeys(keys), encodeKeys(keys, { applicationCursor: true })];
  if (Buffer.compare(normal, application) === 0 || !entry.live) return normal;
  const { modes } = await views.use(entry, async ({ view }) => await view.snapshot());
  return modes.applicationCursorKeys ? application : normal;
}

/** Throws `INVALID_INPUT` where there is nothing to type, or both text and data. */
function bytesOf(input: ParsedInputOf<"sessions.input">): Uint8Array {
  if (input.text !== undefined && input.data !== undefined)
    throw new LecternError("INVALID_INPUT", 'Cannot type both "text" and "data": give one of them');
  const text = input.data === undefined ? Buffer.from(input.text ?? "") : Buffer.from(input.data, "base64");
  const typed = input.paste ? encodePaste(text) : text;
  const bytes = input.enter ? Buffer.concat([typed, Buffer.from("\r")]) : typed;
  if (bytes.length === 0)
    throw new LecternError("INVALID_INPUT", 'Cannot type nothing: give "text", "data", or "enter"');
  return bytes;
}
