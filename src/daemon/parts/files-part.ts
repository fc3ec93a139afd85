import { ensureFilesDirectory } from "../files/session-files.ts";
import type { SessionPart } from "./session-part.ts";

/** Files that are put there later are seen inside of a sandbox, because the directory is. */
export const filesPart: SessionPart = {
  name: "files",
  begin: async ({ entry, sandbox }, launch) => {
    if (sandbox !== undefined) launch.neededFiles.push(await ensureFilesDirectory(entry.directory));
  },
};
