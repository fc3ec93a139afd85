/** The changes of a session's worktree while somebody looks at them, and the patches of the files that are open. */
import { useEffect, useRef, useState } from "react";
import type { OutputOf, Session } from "../../client.ts";
import { readPatch, type PatchHunk } from "../../core/diff/patch.ts";
import { daemon, messageOf } from "../api.ts";

export type Changes = OutputOf<"tasks.changes">;
export type ChangedFile = Changes["files"][number];

/** Between two requests while the agent may write. */
const LIVE_MS = 2000;
/** A large worktree takes longer to read: the pause grows with it, so that reading takes a fifth of the time at most. */
const PAUSE_SHARE = 4;
const PATCH_BYTES_MAX = 524_288;

interface ShownChanges {
  readonly changes: Changes | undefined;
  readonly problem: string | undefined;
  /** Reads them again now, after something that was done here. */
  readonly refresh: () => void;
}

/** Nothing is asked while the page is hidden; an ended session is read once. */
export function useChanges(session: Session, isLive: boolean): ShownChanges {
  const [shown, setShown] = useState<Omit<ShownChanges, "refresh">>({ changes: undefined, problem: undefined });
  const wake = useRef<() => void>(() => undefined);
  const { id } = session;
  useEffect(() => {
    const leaving = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async (): Promise<void> => {
      clearTimeout(timer);
      const startMs = performance.now();
      if (document.visibilityState === "visible") {
        try {
          const changes = await daemon().call("tasks.changes", { session: id }, { signal: leaving.signal });
          setShown((before) =>
            before.problem === undefined && JSON.stringify(before.changes) === JSON.stringify(changes)
              ? before
              : { changes, problem: undefined },
          );
        } catch (error) {
          if (!leaving.signal.aborted) setShown((before) => ({ ...before, problem: messageOf(error) }));
        }
      }
      if (leaving.signal.aborted || !isLive) return;
      clearTimeout(timer);
      timer = setTimeout(() => void ask(), Math.max(LIVE_MS, PAUSE_SHARE * (performance.now() - startMs)));
    };
    wake.current = () => void ask();
    const onVisible = (): void => {
      if (document.visibilityState === "visible") void ask();
    };
    document.addEventListener("visibilitychange", onVisible);
    void ask();
    return () => {
      leaving.abort();
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", onVisible);
    };
  }, [id, isLive]);
  return { ...shown, refresh: () => wake.current() };
}

interface ShownPatch {
  /** Of the file, when the patch was asked for. */
  readonly version: string;
  readonly hunks: readonly PatchHunk[] | undefined;
  readonly isCut: boolean;
  readonly problem: string | undefined;
}

/** The patch of a file, and again when its version is another one. The last one stays until then. */
export function usePatch(session: string, { path, from, version }: ChangedFile): ShownPatch {
  const [shown, setShown] = useState<ShownPatch>({ version, hunks: undefined, isCut: false, problem: undefined });
  useEffect(() => {
    const leaving = new AbortController();
    const input = { session, path, ...(from === null ? {} : { from }), bytesMax: PATCH_BYTES_MAX };
    daemon()
      .call("tasks.diff", input, { signal: leaving.signal })
      .then(
        ({ patch, isCut }) => setShown({ version, hunks: readPatch(patch), isCut, problem: undefined }),
        (error: unknown) => {
          if (!leaving.signal.aborted) setShown((before) => ({ ...before, version, problem: messageOf(error) }));
        },
      );
    return () => leaving.abort();
  }, [session, path, from, version]);
  return shown;
}
