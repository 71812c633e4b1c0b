/**
 * The process identifiers of children that the engine started for itself, in sessions of their own, and that
 * may run beside a command: they are not the command's.
 */
export const ownChildren: Set<number> = new Set();
