import { EMAIL } from './lookup/person-identifiers.ts';
import { lookUpOperation } from './lookup/waterfall.ts';

export default lookUpOperation(
  {
    name: 'check-email',
    summary: 'Check whether mail to an address arrives.',
    by: ['email'],
    noun: ['row', 'rows'],
    title: 'addresses checked',
    together: [],
    checkedBy: undefined,
    offered: { finds: false, fills: undefined, team: false },
    tried: ['email'],
    call: {
      folded: [],
      gives: ['verdict'],
      wants: 'verdict',
      takesId: false,
      finds: 'verdict',
      isAbout: undefined,
      erased: 'whole',
    },
  },
  [{ ...EMAIL, needsBy: true }],
);
