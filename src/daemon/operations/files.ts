import { encodePaste } from "../../core/input/paste.ts";
import { LecternError } from "../../core/errors.ts";
import { displayCommand } from "../../core/text/command-line.ts";
import type { Handlers } from "../service.ts";
import { actIn } from "../acting/executor.ts";
import { isMeant, targetNow } from "../acting/targets.ts";
import { assertFree, isAtPrompt } from "../acting/type-prompt.ts";
import type { SessionEntry } from "../sessions/session-entry.ts";
import type { Daemon } from "./context.ts";

const loaded = () => import("../files/session-files.ts");

type FileHandlers = Pick<Handlers, "files.put" | "files.list" | "files.remove">;

export function fileHandlers(daemon: Pick<Daemon, "registry" | "views">): FileHandlers {
  const { registry } = daemon;
  return {
    "files.put": async ({ session, name, paste }, { body }) => {
      const { putSessionFile } = await loaded();
      const entry = registry.resolve(session);
      const file = await putSessionFile(entry.directory, name, body);
      const notPasted = paste ? await pastePath(daemon, entry, file.path) : null;
      return { ...file, isPasted: paste && notPasted === null, notPasted };
    },
    "files.list": async ({ session }) => {
      const { listSessionFiles } = await loaded();
      const files = await listSessionFiles(registry.resolve(session).directory);
      return { files, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
    "files.remove": async ({ session, file }) => {
      const { removeSessionFile } = await loaded();
      await removeSessionFile(registry.resolve(session).directory, file);
      return { name: file };
    },
  };
}

/** Types the path into an empty input while nobody types. Returns why it was not typed; null if it was. */
async function pastePath({ views }: Pick<Daemon, "views">, entry: SessionEntry, path: string): Promise<string | null> {
  try {
    entry.requireSeat();
    entry.lease.assertFree(Date.now());
    return await views.use(entry, async (own) => {
      if (!isAtPrompt(entry)) return `it is not at its prompt, but ${entry.status?.state ?? "unknown"}`;
      const { isAlternate, modes } = await own.view.snapshot();
      const draft = await own.view.draft();
      // A pager or an editor would take the path for its keys.
      if (isAlternate && draft.reader.agent === null)
        return "a full-screen program runs, and where it takes text is not known";
      await assertFree(entry, own, { doing: "paste into" });
      const text = Buffer.from(`${displayCommand([path])} `);
      entry.lease.assertFree(Date.now());
      const target = targetNow(entry, draft);
      if (!isMeant(target, draft.reader)) return "another program has come to the foreground";
      const bytes = modes.bracketedPaste ? encodePaste(text) : text;
      const end = await actIn(entry, { target, steps: [{ bytes, proof: "planned" }] });
      return "missed" in end ? end.missed.why : null;
    });
  } catch (error) {
    if (error instanceof LecternError) return error.message;
    throw error;
  }
}
