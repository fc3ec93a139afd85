/**
 * Keeps the speed of a class after a garbage collection.
 *
 * Compiled code of V8 refers weakly to the hidden classes that it was compiled for. If a full collection finds no instance of a class, its
 * hidden class is freed and all code that was compiled for it is thrown away. The next stream then starts in the interpreter.
 */

const kept: object[] = [];

/** Keeps this instance alive, and with it the hidden class of all instances that have the same fields. Call it once for a class. */
export function keepShape(instance: object): void {
  kept.push(instance);
}
