/** The way to the daemon on another machine, through the daemon of a transport. */
import { machinePath } from "../protocol/routes.ts";
import type { Transport } from "./transport.ts";

export const machineTransport = (transport: Transport, machine: string): Transport => ({
  request: async (given) => transport.request({ ...given, path: machinePath(machine, given.path) }),
  openSocket: async (given) => transport.openSocket({ ...given, path: machinePath(machine, given.path) }),
});
