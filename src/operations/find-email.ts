import { NAMES, OF_PEOPLE, PERSON_TO_FIND } from './lookup/person-identifiers.ts';
import { lookUpOperation } from './lookup/waterfall.ts';

export default lookUpOperation(
  {
    name: 'find-email',
    summary: 'Find the e-mail address of a person.',
    noun: ['e-mail address', 'e-mail addresses'],
    title: 'e-mail addresses',
    together: PERSON_TO_FIND.map(({ name }) => name),
    checkedBy: 'check-email',
    offered: { finds: false, fills: 'email', team: false },
    tried: ['full_name', 'domain'],
    call: {
      folded: NAMES,
      gives: [...OF_PEOPLE, 'verdict'],
      wants: 'email',
      takesId: true,
      finds: 'email',
      isAbout: 'person',
      erased: 'whole',
    },
  },
  PERSON_TO_FIND,
);
