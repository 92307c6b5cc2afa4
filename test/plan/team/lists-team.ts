import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { KEY, PROJECT, type TeamOptions, TeamWorkplace } from '../../faults/team-workplace.ts';
import { agreeToDialects } from '../../support/agree.ts';

/** A service that says who is in a project, and an account whose dialect knows that. */

const EXAMPLE = join(import.meta.dirname, '..', '..', '..', 'jobs', 'dialects', 'service-with-lists.yaml');

type Entries = Readonly<Record<string, object>>;

/** The example that users copy. */
export function listsDialect(without: readonly string[] = []): Entries {
  const file = parse(readFileSync(EXAMPLE, 'utf8')) as Entries;
  return Object.fromEntries(Object.entries(file).filter(([name]) => !without.includes(name)));
}

export async function openListsTeam(options: TeamOptions = {}): Promise<TeamWorkplace> {
  const team = await TeamWorkplace.open({ flags: ['--dialect', 'lists'], ...options });
  speakLists(team);
  await agreeToDialects(team.place.path('config'));
  return team;
}

/** @param without entries that the service of this account has not. */
export function speakLists(team: TeamWorkplace, without: readonly string[] = []): void {
  team.place.writeDialect(listsDialect(without), 'lists.yaml');
  team.writeAccount({ dialect: './lists.yaml' });
}

/** What another person does with a key of their own, past Rowonce. @returns the answer. */
export async function elsewhere(
  team: TeamWorkplace,
  path: string,
  body: object,
  project: string = PROJECT,
): Promise<Readonly<Record<string, string>>> {
  const authorization = path.endsWith('/update') ? `${project}:${KEY}` : `Bearer ${project}:${KEY}`;
  const response = await fetch(`${team.vendor.url}/latest/${path}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`the service refused ${path}: ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, string>>;
}

/** As the service takes a role. */
export function permissions(role: 'viewer' | 'editor'): object {
  return { items: { serviceDefault: { actions: { [`role:${role}`]: true } } } };
}
