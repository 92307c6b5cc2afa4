export * from 'node:timers/promises';
export { sleep as setTimeout, turn as setImmediate } from './timers.ts';
