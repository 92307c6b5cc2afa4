import type { Kind } from './kind.ts';
import { nameReader } from './name.ts';
import { textDamage } from './text.ts';
import { EMAIL_LIKE } from './web-address.ts';

export const companyName = {
  read: nameReader((name) => {
    if (EMAIL_LIKE.test(name) || /^(?:https?:\/\/|www\.)/i.test(name)) return 'address_for_name';
    return /\p{L}|\p{N}/u.test(name) ? undefined : 'no_company';
  }, 'company_name'),
  damage: textDamage,
} as const satisfies Kind;
