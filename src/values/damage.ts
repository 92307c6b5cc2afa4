import { email } from './email.ts';
import type { CellIssue, Damage, Numbers } from './mend.ts';
import { abn } from './number.ts';
import { phone, postcode } from './phone.ts';
import { profileSlug, profileUrl } from './profile.ts';
import { text } from './text.ts';
import { domain, website } from './website.ts';

/** The kind of value that the cells of a column should hold. It decides which cells are damaged. */
export type CellKind =
  | 'abn'
  | 'email'
  | 'profile_url'
  | 'profile_slug'
  | 'website'
  | 'domain'
  | 'phone'
  | 'postcode'
  | 'text';

const KINDS: Readonly<Record<CellKind, { readonly damage: Damage }>> = {
  abn,
  email,
  profile_url: profileUrl,
  profile_slug: profileSlug,
  website,
  domain,
  phone,
  postcode,
  text,
};

/** As `Damage`, of a column of that kind. */
export const cellIssueOf = (kind: CellKind, cell: string, numbers?: Numbers): CellIssue | undefined =>
  KINDS[kind].damage(cell, numbers);
