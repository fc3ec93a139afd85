/**
 * A daemon greets each connection of a forwarder with one byte, and the forwarder keeps what the program sends until then: the kernel also
 * accepts connections for a daemon that is just being killed, and their bytes would be lost. Such a connection is made again, to the next one.
 */
import type { Server, Socket } from "node:net";

/** Any byte. */
const GREETING = "+";

export const greetEach = (server: Server): Server =>
  server.on("connection", (socket: Socket) => socket.write(GREETING));

/** Takes the greeting. False if the connection ended before it; the socket is destroyed then. */
export function isGreeted(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (isHere: boolean): void => {
      socket.off("close", onClose).off("error", onClose).off("readable", onReadable);
      if (!isHere) socket.on("error", () => {}).destroy();
      resolve(isHere);
    };
    const onClose = (): void => end(false);
    // Also told of the end, without a byte.
    const onReadable = (): void => end(socket.read(1) !== null);
    socket.once("close", onClose).once("error", onClose).once("readable", onReadable);
  });
}
