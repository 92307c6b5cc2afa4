import { PERSON_TO_FIND } from './lookup/person-identifiers.ts';
import { lookUpOperation } from './lookup/waterfall.ts';

export default lookUpOperation(
  'find-email',
  "Find the e-mail address of a person, by what the account's dialect takes together.",
  PERSON_TO_FIND,
);
