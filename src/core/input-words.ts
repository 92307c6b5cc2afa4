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
  full_name: 'whole name',
  project_id: 'id of the project',
  organization_id: 'id of the organization',
  user_id: 'id of the user',
};

export function inputWords(input: string): string {
  const name = inputOf(input);
  return INPUTS[name] ?? name.replaceAll(/[._]/g, ' ');
}
