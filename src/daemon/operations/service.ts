/** The handler of each operation, as the servers in front of the daemon see them. */
import { BlobStore } from "../store/blobs.ts";
import { attachReader } from "./attaching.ts";
import { administrationHandlers } from "./administration.ts";
import { readAllUpdates } from "./all-updates.ts";
import { approvingHandlers } from "./approving.ts";
import { auditHandlers } from "./audit.ts";
import type { Daemon } from "./context.ts";
import { listEvents } from "./events.ts";
import { fileHandlers } from "./files.ts";
import { lifecycleHandlers } from "./lifecycle.ts";
import { policyHandlers } from "./policy.ts";
import { promptingHandlers } from "./prompting.ts";
import { followRecords, readingHandlers, readOutput } from "./reading.ts";
import { exportRecording, importRecording } from "./transfer.ts";
import { typingHandlers } from "./typing.ts";
import { readUpdates } from "./updates.ts";
import { viewingHandlers } from "./viewing.ts";
import { converse, waitFor } from "./waiting.ts";
import type { featureOperations } from "../../features/operations.ts";
import type { DaemonService, Handlers, ItemStream } from "../service.ts";

/** Loaded with the first command. */
const executing = () => import("./executing.ts");

/** Those of features are held to their operations by the type of each, and all together by test/features.test.ts. */
type OwnHandlers = Omit<Handlers, keyof typeof featureOperations>;

export function daemonService(daemon: Daemon): DaemonService {
  const { registry, tokens } = daemon;
  const blobs = new BlobStore(daemon.paths.blobsDirectory);
  const own: OwnHandlers = {
    ...administrationHandlers(daemon),
    ...approvingHandlers(daemon),
    ...auditHandlers(daemon),
    ...lifecycleHandlers(daemon),
    ...readingHandlers(daemon),
    ...typingHandlers(daemon),
    ...viewingHandlers(daemon),
    ...promptingHandlers(daemon),
    ...policyHandlers(daemon),
    ...fileHandlers(daemon),
    "sessions.import": (input, { body }) => importRecording(daemon, input, body),
    "sessions.export": (input, { signal }) => exportRecording(daemon, input, signal),
    "sessions.output": (input, { signal }) => readOutput(registry.resolve(input.session), input, signal),
    "sessions.follow": (input, { signal }) => followRecords(registry.resolve(input.session), input, signal),
    "sessions.attach": async (input, { caller }) =>
      attachReader(
        { ...daemon, notices: daemon.features.terminals },
        {
          entry: registry.resolve(input.session),
          inside: daemon.callers.sessionOf(caller),
          seesAll: caller.session === null,
        },
        input,
      ),
    "sessions.events": (input, { signal }) => listEvents(daemon, input, signal),
    "sessions.exec": async (input, { signal }) =>
      (await executing()).executeIn(registry.resolve(input.session), input, { blobs, signal, views: daemon.views }),
    "sessions.abort": async ({ session, key }) => (await executing()).abortIn(registry.resolve(session), key),
    "sessions.wait": async (input, { signal }) => waitFor(daemon, input, signal),
    "sessions.converse": async (input, context) => converse(own, input, context),
    "sessions.updates": async (input, context) => {
      // Refused before the answer begins: nothing is looked up until the first update is read.
      registry.resolve(input.session);
      return updateStream(readUpdates(daemon, input, context), ({ offset }) => offset);
    },
    "daemon.updates": async (input, context) => updateStream(readAllUpdates(daemon, input, context), () => undefined),
    "blobs.get": async ({ hash }) => {
      const blob = blobs.find(hash);
      return {
        contentType: "application/octet-stream",
        headers: { "content-length": String(blob.bytes), etag: `"${blob.hash}"` },
        chunks: blob.chunks,
      };
    },
  };
  return {
    handlers: { ...own, ...daemon.features.handlers } as Handlers,
    answerLink: async (token, use) => await daemon.features.answerLink(token, use),
    resolve: (reference) => registry.resolve(reference).id,
    machineTransport: async (name, scope) => {
      await daemon.machines.ready();
      return daemon.machines.transport(name, scope);
    },
    originOf: (socket) => daemon.callers.originOf(socket),
    permit: (caller, action) => daemon.callers.permit(caller, action),
    authenticate: (token) => tokens.authenticate(token, new Date()),
    metrics: daemon.metrics,
  };
}

/** Updates as a stream. Nothing is held before it is read, so there is nothing to dispose of. */
function updateStream<Update extends { readonly kind: string }>(
  updates: AsyncIterable<readonly Update[]>,
  resumeAt: (update: Update) => number | undefined,
): ItemStream<Update> {
  const batches = async function* () {
    for await (const batch of updates) {
      yield batch.map((item) => ({ event: item.kind, item, resumeAt: resumeAt(item) }));
    }
  };
  return { isOver: false, batches: batches(), [Symbol.dispose]: () => undefined };
}
