/** The changes of a session's worktree while somebody looks at them, and the patches of the files that are open. */
import { useCallback, useEffect, useRef, useState } from "react";
import type { OutputOf, Session } from "../../client.ts";
import { readPatch, type PatchHunk } from "../../core/diff/patch.ts";
import { daemon } from "../api.ts";
import { useAnswer, type LoadedAnswer } from "../use-answer.ts";

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

/** While the page is hidden they are not read again; those of an ended session are read once. */
export function useChanges({ id }: Session, isLive: boolean): ShownChanges {
  const [news, setNews] = useState(0);
  const refresh = useCallback(() => setNews((before) => before + 1), []);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const ask = useCallback(
    (signal: AbortSignal) => {
      const startMs = performance.now();
      const planNext = (): void => {
        clearTimeout(timer.current);
        const pauseMs = Math.max(LIVE_MS, PAUSE_SHARE * (performance.now() - startMs));
        if (isLive && !signal.aborted) timer.current = setTimeout(() => isVisible() && refresh(), pauseMs);
      };
      return daemon().call("tasks.changes", { session: id }, { signal }).finally(planNext);
    },
    [id, isLive, refresh],
  );
  useEffect(() => {
    const onVisible = (): void => void (isVisible() && refresh());
    document.addEventListener("visibilitychange", onVisible);
    return () => {
      document.removeEventListener("visibilitychange", onVisible);
      clearTimeout(timer.current);
    };
  }, [refresh]);
  const { value: changes, problem } = useAnswer(ask, news);
  return { changes, problem, refresh };
}

const isVisible = (): boolean => document.visibilityState === "visible";

interface Patch {
  readonly hunks: readonly PatchHunk[];
  readonly isCut: boolean;
}

/** The patch of a file, and again when its version is another one. The last one stays until then. */
export function usePatch(session: string, { path, from, version }: ChangedFile): LoadedAnswer<Patch> {
  const ask = useCallback(
    async (signal: AbortSignal) => {
      const input = { session, path, ...(from === null ? {} : { from }), bytesMax: PATCH_BYTES_MAX };
      const { patch, isCut } = await daemon().call("tasks.diff", input, { signal });
      return { hunks: readPatch(patch), isCut };
    },
    // oxlint-disable-next-line react/exhaustive-deps -- another version has another patch
    [session, path, from, version],
  );
  return useAnswer(ask);
}
