import fc from 'fast-check';
import { describeOperations } from '../../src/core/families.ts';
import { times } from './combinations.ts';

/**
 * Properties are tried with the same values on every machine, so that a run says something about the change that it is
 * run for. Other values are for `npm run fuzz`, and for whoever names another seed.
 */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: Number(process.env.SEED ?? 20_261_120),
  numRuns: times(15, 100),
});

/** As every command begins. */
await describeOperations();
