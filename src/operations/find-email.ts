import { PERSON } from './lookup/person-identifiers.ts';
import { lookUpOperation } from './lookup/waterfall.ts';

/** Vendors differ in what they take together, so nothing is asked before the dialect's `by` says it. */
export default lookUpOperation(
  'find-email',
  "Find the e-mail address of a person, by what the account's dialect takes together.",
  PERSON.map((each) => ({ ...each, needsBy: true })),
);
