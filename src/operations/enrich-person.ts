import { PERSON } from './lookup/person-identifiers.ts';
import { lookUpOperation } from './lookup/waterfall.ts';

export default lookUpOperation(
  'enrich-person',
  'Find a person by e-mail address, profile URL or profile slug, or by name and company together.',
  PERSON,
);
