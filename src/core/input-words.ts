import { inputOf } from './steps.ts';

/** What inputs are called for people who never typed a command. Any other input is a word by itself. */
const INPUTS: Readonly<Record<string, string>> = {
  abn: 'ABN',
  domain: 'web domain',
  profile_url: 'profile page',
  profile_slug: 'profile name',
  number: 'company number',
  name: 'company name',
  email: 'e-mail',
  full_name: 'full name',
  project_id: 'project id',
  organization_id: 'organization id',
  user_id: 'user id',
};

export function inputWords(input: string): string {
  const name = inputOf(input);
  return INPUTS[name] ?? name.replaceAll(/[._]/g, ' ');
}
