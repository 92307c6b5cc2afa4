import { NAMES, OF_PEOPLE, PERSON } from './lookup/person-identifiers.ts';
import { lookUpOperation } from './lookup/waterfall.ts';

export default lookUpOperation(
  {
    name: 'enrich-person',
    summary: 'Find a person by e-mail address, profile URL or profile slug, or by name and company together.',
    noun: ['person', 'people'],
    title: 'people',
    together: NAMES,
    checkedBy: undefined,
    offered: { finds: true, fills: 'job_title', team: false },
    tried: ['email', 'profile_url'],
    call: {
      folded: NAMES,
      gives: OF_PEOPLE,
      wants: undefined,
      takesId: true,
      finds: 'person',
      isAbout: 'person',
      erased: 'whole',
    },
  },
  PERSON,
);
