import { companyName } from './company-name.ts';
import { email } from './email.ts';
import type { Kind, KindName } from './kind.ts';
import type { CellIssue, Numbers } from './mend.ts';
import { abn, registerNumber } from './number.ts';
import { personName } from './person-name.ts';
import { phone, postcode } from './phone.ts';
import { profileSlug, profileUrl } from './profile.ts';
import { text } from './text.ts';
import { domain, website } from './website.ts';

const KINDS: Readonly<Record<KindName, Kind>> = {
  abn,
  email,
  profile_url: profileUrl,
  profile_slug: profileSlug,
  website,
  domain,
  number: registerNumber,
  phone,
  postcode,
  person_name: personName,
  company_name: companyName,
  text,
};

/** As `Damage`, of a column of that kind. */
export const cellIssueOf = (kind: KindName, cell: string, numbers?: Numbers): CellIssue | undefined =>
  KINDS[kind].damage?.(cell, numbers);
