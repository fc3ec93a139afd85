/** A file of its own: whoever compares versions of checkpoints needs no screen. */

/** Rises with each change of what a checkpoint holds: another one is refused, and the view is made again from the journal. */
export const CHECKPOINT_VERSION = 18;
