// What tests of own kinds import as `millrace/testing`: like `millrace` it only passes on what others define.
export { aJobRow } from './builders.ts';
export { createMemoryObjects } from './memory-objects.ts';
export { optionsFor, type OwnOrder, type OwnSimulation, simulateKinds } from './own-kinds.ts';
export type { Explored } from './simulation/explore.ts';
export { type Shrunk, shrink } from './simulation/shrink.ts';
export { type SimulationOptions, type SimulationResult, simulate } from './simulation/simulate.ts';
