import { EMAIL } from './lookup/person-identifiers.ts';
import { lookUpOperation } from './lookup/waterfall.ts';

export default lookUpOperation(
  'check-email',
  'Check whether mail to an address arrives.',
  [{ ...EMAIL, needsBy: true }],
  ['email'],
);
