/** The WebSockets of the daemon: an attached terminal, and the streams of updates. Frames are read and written without the client of the library. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { WebSocket } from "ws";
import type { ErrorCode } from "../../../src/core/errors.ts";
import { decodeBinaryFrame, encodeNumberedInput } from "../../../src/protocol/attach-frames.ts";
import type { Problem } from "../../../src/protocol/errors.ts";
import { operations, type OperationName } from "../../../src/protocol/operations.ts";
import { daemonPrograms, WAIT_MS_MAX, type Reach } from "../reach.ts";
import {
  outputIn,
  readableRecord,
  refusesBoth,
  takeItems,
  WayError,
  type Call,
  type Fields,
  type Offers,
  type Way,
} from "../way.ts";

export function websocketWay(reach: Reach): Way {
  return {
    name: "websocket",
    offers: offersOf(reach),
    programs: daemonPrograms(reach.home.client),
    isShared: true,
    [Symbol.asyncDispose]: async () => {},
  };
}

const offersOf = (reach: Reach): Offers => ({
  "sessions.attach": {
    call: async ({ input, isLast }) => ({ items: await itemsOf(reach, { name: "sessions.attach", input, isLast }) }),
  },
  "sessions.updates": {
    call: async ({ input, isLast }) => ({ items: await itemsOf(reach, { name: "sessions.updates", input, isLast }) }),
  },
  "daemon.updates": {
    call: async ({ input, isLast }) => ({ items: await itemsOf(reach, { name: "daemon.updates", input, isLast }) }),
  },
  "sessions.output": {
    takes: ["session", "from", "follow"],
    refuses: ({ follow }) => (follow === true ? undefined : "follow"),
    call: async ({ input: { session, from = 0 } }) => {
      const input = { session, from, readOnly: true, lossless: true };
      const items = await itemsOf(reach, { name: "sessions.attach", input, isLast: () => false });
      return { text: outputIn(items) };
    },
  },
  "sessions.input": {
    takes: ["session", "text", "data", "take"],
    refuses: refusesBoth,
    gives: [],
    call: async ({ input: { session, text, data, take } }) => {
      const bytes = Buffer.from(String(data ?? text), data === undefined ? "utf8" : "base64");
      await typeInto(reach, { session, ...(take !== undefined && { take }) }, (socket) =>
        socket.send(encodeNumberedInput(1, bytes)),
      );
      return {};
    },
  },
  "sessions.signal": {
    takes: ["session", "signal"],
    gives: [],
    call: async ({ input: { session, signal } }) => {
      await typeInto(reach, { session }, (socket) => {
        socket.send(JSON.stringify({ type: "signal", name: signal }));
        // The signal has no answer of its own, and what follows it is handled behind it.
        socket.send(encodeNumberedInput(1, Buffer.of()));
      });
      return {};
    },
  },
});

interface Asked {
  readonly name: OperationName;
  readonly input: Fields;
  readonly isLast: Call["isLast"];
}

/** What comes over one socket, in order: the frames of an attached terminal, or updates. */
async function itemsOf(reach: Reach, { name, input, isLast }: Asked): Promise<Fields[]> {
  const socket = open(reach, name, input);
  try {
    return (await takeItems(framesOf(socket), isLast)) as Fields[];
  } finally {
    socket.terminate();
  }
}

/** Attaches, sends, and resolves when the input of number 1 was taken. Rejects with the first error. */
async function typeInto(reach: Reach, input: Fields, send: (socket: WebSocket) => void): Promise<void> {
  const socket = open(reach, "sessions.attach", input);
  try {
    for await (const { type, input: number, code, message } of framesOf(socket)) {
      if (type === "attached") send(socket);
      if (type === "error") throw new WayError([code as ErrorCode], String(message));
      if (type === "taken" && number === 1) return;
      // Nothing more is taken, and the last message may say why.
      if (type === "exit") throw new WayError(["SESSION_ENDED"], "The session has ended before the input was taken");
    }
    assert.fail("The socket closed before the input was taken");
  } finally {
    socket.terminate();
  }
}

function open({ url, token }: Reach, name: OperationName, input: Fields): WebSocket {
  const [, template = ""] = operations[name].endpoint.split(" ");
  const { session, ...rest } = input;
  const query = new URLSearchParams(Object.entries(rest).map(([key, value]) => [key, String(value)]));
  const address = `${url.replace("http", "ws")}${template.replace("{session}", encodeURIComponent(String(session)))}`;
  return new WebSocket(
    query.size === 0 ? address : `${address}?${query.toString()}`,
    ["lectern.v1", `lectern.bearer.${token}`],
    {
      handshakeTimeout: WAIT_MS_MAX,
    },
  );
}

/** Ends with the socket. Rejects with the problem of a refused upgrade. */
async function* framesOf(socket: WebSocket): AsyncGenerator<Fields, void, void> {
  // The reader has what it wants: what still comes has no place.
  let isOver = false;
  const frames = new ReadableStream<Fields>({
    start: (controller) => {
      socket.on("message", (data: Buffer, isBinary) => {
        for (const frame of framesIn(data, isBinary)) if (!isOver) controller.enqueue(frame);
      });
      socket.on("unexpected-response", (_, response) => {
        void problemOf(response).then((error) => controller.error(error));
      });
      socket.on("error", (error) => controller.error(error));
      socket.on("close", (code) => {
        if (isOver) return;
        if (code === 1000) controller.close();
        else controller.error(new Error(`The socket closed with ${code}`));
      });
    },
    cancel: () => {
      isOver = true;
    },
  });
  yield* frames;
}

function framesIn(data: Buffer, isBinary: boolean): Fields[] {
  if (isBinary) {
    const frame = decodeBinaryFrame(data);
    assert.ok(frame, "a binary frame that the protocol does not have");
    return [readableRecord({ ...frame })];
  }
  const message = JSON.parse(data.toString()) as Fields | Fields[];
  return Array.isArray(message) ? message : [message];
}

async function problemOf(response: IncomingMessage): Promise<WayError> {
  const { code, detail } = JSON.parse(Buffer.concat(await Array.fromAsync(response)).toString()) as Problem;
  return new WayError([code], detail);
}
