/** All operations together, as the servers in front see them. */
import { BlobStore, type FoundBlob } from "../blobs.ts";
import { attach } from "./attaching.ts";
import { administrationHandlers } from "./administration.ts";
import { readAllUpdates } from "./all-updates.ts";
import { approvingHandlers } from "./approving.ts";
import { auditHandlers } from "./audit.ts";
import type { Daemon } from "./context.ts";
import { abortIn, executeIn } from "./executing.ts";
import { lifecycleHandlers } from "./lifecycle.ts";
import { policyHandlers } from "./policy.ts";
import { promptingHandlers } from "./prompting.ts";
import { readingHandlers, readOutput } from "./reading.ts";
import { listTagged } from "./tagged.ts";
import { exportRecording, importRecording } from "./transfer.ts";
import { typingHandlers } from "./typing.ts";
import { readUpdates } from "./updates.ts";
import { viewingHandlers } from "./viewing.ts";
import { waitFor } from "./waiting.ts";
import type { ByteBody, DaemonService } from "../service.ts";

export function daemonService(daemon: Daemon): DaemonService {
  const { registry, tokens } = daemon;
  const blobs = new BlobStore(daemon.paths.blobsDirectory);
  return {
    handlers: {
      ...administrationHandlers(daemon),
      ...approvingHandlers(daemon),
      ...auditHandlers(daemon),
      ...lifecycleHandlers(daemon),
      ...readingHandlers(daemon),
      ...typingHandlers(daemon),
      ...viewingHandlers(daemon),
      ...promptingHandlers(daemon),
      ...policyHandlers(daemon),
      "sessions.tagged": async (input, { signal }) => listTagged(daemon, input, signal),
      "sessions.exec": async (input, { signal }) =>
        executeIn(registry.resolve(input.session), input, { blobs, signal }),
      "sessions.abort": async ({ session, key }) => abortIn(registry.resolve(session), key),
      "sessions.wait": async (input, { signal }) => waitFor(daemon, input, signal),
    },
    importRecording: (input, body) => importRecording(daemon, input, body),
    output: async (input, { signal }) => readOutput(registry.resolve(input.session), input, signal),
    exportRecording: async (input, { signal }) => exportRecording(registry.resolve(input.session), input, signal),
    blob: async ({ hash }) => blobBody(blobs.find(hash)),
    updates: (input, context) => readUpdates(daemon, input, context),
    allUpdates: (input, context) => readAllUpdates(daemon, input, context),
    openCursor: async (session, from) => {
      const entry = registry.resolve(session);
      await entry.refresh();
      const feed = await entry.feed();
      return feed.openCursor(from ?? feed.start);
    },
    attach: async (input) => attach(daemon, registry.resolve(input.session), input),
    resolve: (reference) => registry.resolve(reference).id,
    originOf: (socket) => daemon.callers.originOf(socket),
    permit: (caller, action) => daemon.callers.permit(caller, action),
    authenticate: (token) => tokens.authenticate(token, new Date()),
  };
}

const blobBody = ({ bytes, chunks, hash }: FoundBlob): ByteBody => ({
  contentType: "application/octet-stream",
  headers: { "content-length": String(bytes), etag: `"${hash}"` },
  chunks,
});
