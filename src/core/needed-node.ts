import { stop } from './errors.ts';

/**
 * Imported first by the library: the ledger's native part ends an older Node by a segmentation fault, in the middle of
 * what it was doing. `bin.js` says the same to a user who types a command.
 */

const NEEDED_MAJOR = 24;

if (Number(process.versions.node.split('.')[0]) < NEEDED_MAJOR) {
  const fact = `Rowonce needs Node ${NEEDED_MAJOR} or newer and this is Node ${process.versions.node}.`;
  throw stop('unsupported', fact, 'Install it from https://nodejs.org.');
}
