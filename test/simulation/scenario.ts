/** One simulated cluster from one seed: which parts it has, which faults hit them, and what has to hold at the end. */
import type { Bug } from "./bugs.ts";
import { Brokers, ModelStream } from "./model-stream.ts";
import { BeatingMachine, Watcher } from "./presence-actors.ts";
import { ReplicaMachine, ReplicaViewer } from "./replica-actors.ts";
import { Answerer, Requester } from "./request-actors.ts";
import { SessionOwner, SessionViewer } from "./tunnel-actors.ts";
import { World, type SimulatedProcess } from "./world.ts";

/** After the end of the faults everything has converged within this time. */
const CALM_MS = 10_000;

interface Fault {
  readonly weight: number;
  readonly strike: () => void;
}

/** A part of the cluster. */
interface Part {
  readonly processes: readonly SimulatedProcess[];
  readonly faults: readonly Fault[];
  checkConverged(): void;
}

export interface SimulationOptions {
  readonly bug?: Bug | undefined;
  readonly trace?: (line: string) => void;
}

/** Returns the number of events. Throws a `Violation` if an oracle is violated. */
export function simulate(seed: number, options: SimulationOptions = {}): number {
  const world = new World(seed, options);
  const { random } = world;
  const brokers = new Brokers(world);
  const kinds = [replicaPart, tunnelPart, requestPart, presencePart];
  const chosen = kinds.filter(() => random.chance(0.25));
  const parts = (chosen.length > 0 ? chosen : [random.pick(kinds)]).map((kind) => kind(world, brokers));
  const faults = [...commonFaults(world, brokers, parts), ...parts.flatMap((part) => part.faults)];
  for (let count = random.int(0, 8); count > 0; count--) {
    world.after(random.int(0, world.chaosEndMs - 500), () => strike(world, faults));
  }
  world.runUntil(world.chaosEndMs);
  for (const process of world.processes) process.start();
  world.runUntil(world.chaosEndMs + CALM_MS);
  for (const part of parts) part.checkConverged();
  return world.events;
}

function strike({ random }: World, faults: readonly Fault[]): void {
  let at = random.next() * faults.reduce((sum, { weight }) => sum + weight, 0);
  for (const fault of faults) {
    at -= fault.weight;
    if (at < 0) return fault.strike();
  }
}

/** A time that ends with the chaos at the latest. */
const span = (world: World, from: number, to: number): number =>
  Math.max(1, Math.min(world.random.int(from, to), world.chaosEndMs - world.nowMs));

function commonFaults(world: World, brokers: Brokers, parts: readonly Part[]): Fault[] {
  const { random, network } = world;
  const processes = parts.flatMap((part) => part.processes);
  return [
    { weight: 3, strike: () => random.pick(processes).cut(span(world, 50, 9000), random.int(0, 2500)) },
    { weight: 2, strike: () => random.pick(processes).stop(span(world, 100, 9000)) },
    {
      weight: 3,
      strike: () => {
        const process = random.pick(processes);
        process.kill();
        world.after(span(world, 50, 8000), () => process.start());
      },
    },
    { weight: 2, strike: () => network.lose(random.next() * 0.5, span(world, 100, 4000)) },
    { weight: 2, strike: () => network.beHostile(span(world, 500, 6000)) },
    {
      // A server is killed: those that were connected to it connect to another one, and there may be no leader for a while.
      weight: 2,
      strike: () => {
        for (const process of processes) if (random.chance(0.4)) process.cut(span(world, 20, 1500), random.int(0, 100));
        if (random.chance(0.5)) brokers.fall(span(world, 500, 3000));
      },
    },
    { weight: 2, strike: () => brokers.fall(span(world, 200, 4000)) },
  ];
}

function replicaPart(world: World, brokers: Brokers): Part {
  const { random } = world;
  const stream = new ModelStream(world, brokers);
  const machines = Array.from({ length: random.int(1, 3) }, (_, subject) => new ReplicaMachine(world, stream, subject));
  for (const machine of machines) {
    machine.startHost();
    machine.daemon.start();
  }
  const viewers = machines.map((machine) => new ReplicaViewer(world, machine, random.pick([60, 400])));
  const read = (): void => {
    const at = random.int(0, machines.length - 1);
    // One that has read what the broker lost and the older disk does not have cannot know it: not modelled.
    if (machines[at]!.replaced.length > 0) viewers[at] = new ReplicaViewer(world, machines[at]!, 400);
    viewers[at]!.read(stream.log);
    if (world.isChaos) world.after(random.int(500, 4000), read);
  };
  world.after(1000, read);
  const sync = (): void => {
    stream.sync();
    world.after(random.int(500, 10_000), sync);
  };
  sync();
  const unclean = (): void => {
    if (!world.isChaos) return;
    stream.recoverUncleanly();
    if (random.chance(0.7)) brokers.fall(span(world, 10, 1500));
    // A sequence that is used a third time meets publishes of the first.
    if (random.chance(0.5)) world.after(random.int(50, 2500), unclean);
  };
  return {
    processes: machines.map(({ daemon }) => daemon),
    faults: [
      { weight: 3, strike: unclean },
      { weight: 0.5, strike: () => stream.wipe() },
      { weight: 1, strike: () => stream.fill(span(world, 500, 5000)) },
      { weight: 1, strike: () => stream.serveStale(span(world, 500, 5000)) },
      { weight: 1, strike: () => random.pick(machines).slowDisk(span(world, 500, 4000)) },
      { weight: 2, strike: () => random.pick(machines).losePower(span(world, 50, 3000)) },
      { weight: 1, strike: () => random.pick(machines).restore(span(world, 50, 3000)) },
    ],
    checkConverged: () => {
      for (const machine of machines) {
        machine.checkConverged();
        const viewer = new ReplicaViewer(world, machine, 400);
        viewer.read(stream.log);
        viewer.checkConverged();
      }
    },
  };
}

function tunnelPart(world: World): Part {
  const owner = new SessionOwner(world);
  const viewer = new SessionViewer(world, owner);
  owner.startHost();
  owner.daemon.start();
  viewer.process.start();
  return {
    processes: [owner.daemon, viewer.process],
    faults: [{ weight: 2, strike: () => viewer.readSlowly(span(world, 500, 6000)) }],
    checkConverged: () => viewer.checkConverged(),
  };
}

function requestPart(world: World): Part {
  const answerer = new Answerer(world);
  const requester = new Requester(world, answerer);
  answerer.daemon.start();
  requester.process.start();
  return {
    processes: [answerer.daemon, requester.process],
    faults: [],
    checkConverged: () => requester.checkConverged(),
  };
}

function presencePart(world: World): Part {
  const { random } = world;
  const machines: BeatingMachine[] = [];
  const watcher = new Watcher(world, machines);
  for (let at = random.int(1, 3); at > 0; at--)
    machines.push(new BeatingMachine(world, `machine-${at}`, () => watcher));
  watcher.process.start();
  for (const machine of machines) machine.daemon.start();
  return {
    processes: [watcher.process, ...machines.map(({ daemon }) => daemon)],
    faults: [{ weight: 2, strike: () => random.pick(machines).jumpClock(random.int(-3_600_000, 3_600_000)) }],
    checkConverged: () => watcher.checkConverged(),
  };
}
