import { NAMES, OF_PEOPLE, PERSON_TO_FIND } from './lookup/person-identifiers.ts';
import { lookUpOperation } from './lookup/waterfall.ts';

export default lookUpOperation(
  {
    name: 'find-phone',
    summary: 'Find the telephone number of a person.',
    noun: ['phone number', 'phone numbers'],
    title: 'phone numbers',
    together: PERSON_TO_FIND.map(({ name }) => name),
    checkedBy: undefined,
    offered: { finds: false, fills: 'phone', team: false },
    tried: ['full_name', 'domain'],
    call: {
      folded: NAMES,
      gives: OF_PEOPLE,
      wants: 'phone',
      takesId: true,
      finds: 'phone',
      isAbout: 'person',
      erased: 'whole',
    },
  },
  PERSON_TO_FIND,
);
