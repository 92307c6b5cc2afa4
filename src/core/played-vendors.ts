/** The vendors that the sandbox plays besides its own two, by the words of their shipped dialects. */
export const PLAYED_VENDORS = [
  'hunter',
  'prospeo',
  'pdl',
  'leadmagic',
  'datagma',
  'fullenrich',
  'cognism',
] as const;
export type PlayedName = (typeof PLAYED_VENDORS)[number];
