import fc from 'fast-check';

/**
 * Properties are tried with the same values on every machine, so that a run says something about the change that it is
 * run for. Other values are for `npm run fuzz`, and for whoever takes this line out for an hour.
 */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_120 });
