import type { Signal } from '@preact/signals';
import type { Choices, ListRows, OperationView, PlanView } from '../../../api.ts';
import { Loaded } from '../../loaded.tsx';
import { Checkbox, Cut, Select } from '../../parts/controls.tsx';
import { grouped } from '../../parts/figures.ts';
import { inputWords, OF_ONE } from '../../parts/several.ts';
import { text } from '../../text.ts';

const ROLES = ['viewer', 'editor', 'admin'] as const;
type Role = (typeof ROLES)[number];

const roleIn = (value: string): Role | undefined => ROLES.find((role) => role === value);

interface SettingsShown extends Choosing {
  readonly list: string;
  readonly plan: PlanView | undefined;
}

export function Settings({ list, operation, choices, plan }: SettingsShown) {
  const { settings } = operation;
  const { columns: words } = text;
  const takesRole = settings.includes('role');
  const boxes = (['create_projects', 'remove_missing'] as const).filter((name) => settings.includes(name));
  if (!takesRole && boxes.length === 0) return null;
  const column = choices.value.columns?.role ?? plan?.columns.role;
  return (
    <section class="card stack">
      {takesRole && (
        <Select
          name={words.role}
          value={choices.value.role ?? ''}
          options={[['', words.roleOfSheet], ...ROLES]}
          onChosen={(role) => choose(choices, { role: roleIn(role) })}
        />
      )}
      {choices.value.role === undefined && column !== undefined && settings.includes('roles') && (
        <Loaded<ListRows> path={`/lists/${list}/rows?limit=500`}>
          {(rows) => <RoleWords choices={choices} words={wordsBelow(rows, column)} />}
        </Loaded>
      )}
      {boxes.map((name) => (
        <Checkbox
          key={name}
          checked={choices.value[name] === true}
          onCheck={(isChecked) => choose(choices, { [name]: isChecked })}
          says={words[name]}
        />
      ))}
    </section>
  );
}

/** Nobody maps more words by hand. */
const MOST_WORDS = 20;

function wordsBelow({ header, rows }: ListRows, column: string): readonly string[] {
  const at = header.indexOf(column);
  const words = new Map<string, string>();
  for (const { cells } of rows) {
    const word = cells[at]?.trim() ?? '';
    const bare = word.toLowerCase().replace(/^role:/, '');
    if (word !== '' && word.length <= 200 && roleIn(bare) === undefined && !words.has(bare))
      words.set(bare, word);
  }
  return [...words.values()].slice(0, MOST_WORDS);
}

/** A word of the list gets its role by a choice, so that nobody has to change the list. */
function RoleWords({ choices, words }: Pick<Choosing, 'choices'> & { readonly words: readonly string[] }) {
  const roles = choices.value.roles ?? {};
  const all = [...new Set([...words, ...Object.keys(roles)])];
  if (all.length === 0) return null;
  const set = (word: string, role: Role | undefined): void => {
    const others = Object.entries(roles).filter(([each]) => each !== word);
    const entries = role === undefined ? others : [...others, [word, role] as const];
    choose(choices, { roles: entries.length === 0 ? undefined : Object.fromEntries(entries) });
  };
  return (
    <fieldset class="field-group">
      <legend>{text.columns.roleWords}</legend>
      <div class="fields">
        {all.map((word) => (
          <Select
            key={word}
            name={<Cut text={word} />}
            value={roles[word] ?? ''}
            options={[['', text.columns.noRole], ...ROLES]}
            onChosen={(role) => set(word, roleIn(role))}
          />
        ))}
      </div>
    </fieldset>
  );
}

/**
 * The column for a field. In several operations, a field has the name of its operation in front, as in
 * `enrich-person.job_title`; its column does not.
 */
function nameFor(field: string, taken: Readonly<Record<string, string>>): string {
  const name = field.replace(OF_ONE, '$2').replaceAll('.', '_');
  return name in taken ? field.replaceAll(/[.-]/g, '_') : name;
}

/** The new columns. Without a choice every field is added. */
export function Fields({
  fields,
  choices,
}: Pick<Choosing, 'choices'> & { readonly fields: readonly string[] }) {
  const add = choices.value.add ?? {};
  const toggle = (field: string, isAdded: boolean): void => {
    const others = Object.entries(add).filter(([, path]) => path !== field);
    const entries = isAdded
      ? [...others, [nameFor(field, Object.fromEntries(others)), field] as const]
      : others;
    choose(choices, { add: unlessEmpty(Object.fromEntries(entries)) });
  };
  const isAdded = (field: string): boolean => Object.values(add).includes(field);
  const chosen = Object.keys(add).length;
  return (
    <details class="card" open={chosen > 0}>
      <summary>
        {text.columns.fields}{' '}
        <span class="muted">
          {chosen === 0 ? text.columns.allFields : text.columns.chosen(grouped(chosen))}
        </span>
      </summary>
      <div class="fields">
        {fields.map((field) => (
          <Checkbox
            key={field}
            checked={isAdded(field)}
            onCheck={(isChecked) => toggle(field, isChecked)}
            says={<Cut text={OF_ONE.test(field) ? inputWords(field) : field} />}
          />
        ))}
      </div>
    </details>
  );
}

/** What is chosen for a list so far, as the parts of its view change it. */

export interface Choosing {
  readonly operation: OperationView;
  readonly choices: Signal<Choices>;
}

/** What is undefined, or without a member, is as if it had never been chosen. */
export function choose(
  choices: Signal<Choices>,
  more: { readonly [K in keyof Choices]?: Choices[K] | undefined },
): void {
  const all = Object.entries({ ...choices.value, ...more });
  choices.value = Object.fromEntries(all.filter(([, chosen]) => chosen !== undefined)) as Choices;
}

export const unlessEmpty = (map: Readonly<Record<string, string>>): Record<string, string> | undefined =>
  Object.keys(map).length === 0 ? undefined : map;
