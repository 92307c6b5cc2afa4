import type { Choices } from '../../../api.ts';
import { Checkbox, Select, TextField } from '../../parts/controls.tsx';
import { text } from '../../text.ts';
import { type Choosing, choose } from './settings.tsx';

const words = text.columns;

export function More({ operation, choices }: Choosing) {
  const { is_change: isChange, settings } = operation;
  return (
    <details class="card stack" open={isAnySaid(choices.value)}>
      <summary>{isChange ? text.columns.moreOfChange : text.columns.more}</summary>
      {settings.includes('filters') && <Filters choices={choices} />}
      {isChange ? <Guards choices={choices} /> : <Refresh choices={choices} />}
      <Doubts choices={choices} isChange={isChange} />
    </details>
  );
}

type Part = Pick<Choosing, 'choices'>;

function isAnySaid(choices: Choices): boolean {
  const { filters, pages, guards, refresh, refresh_after, refresh_no_match_after, in_doubt } = choices;
  const said = [filters, pages, guards, refresh, refresh_after, refresh_no_match_after, in_doubt];
  return said.some((each) => each !== undefined && each !== false);
}

function Filters({ choices }: Part) {
  const { filters = {}, pages } = choices.value;
  const lines = Object.entries(filters).map(([name, value]) => `${name} = ${[value].flat().join('; ')}`);
  return (
    <fieldset class="field-group">
      <label class="field">
        {words.filters}
        <small>{words.filtersWhat}</small>
        <textarea
          rows={3}
          defaultValue={lines.join('\n')}
          onChange={({ currentTarget }) => choose(choices, { filters: filtersIn(currentTarget.value) })}
        />
      </label>
      <TextField
        name={words.pages}
        value={pages}
        onTyped={(typed) => choose(choices, { pages: wholeIn(typed, 1, 20) })}
      />
    </fieldset>
  );
}

/** `state = NSW; VIC` on each line. */
function filtersIn(typed: string): Choices['filters'] {
  const filters = typed.split('\n').flatMap((line) => {
    const [name = '', ...value] = line.split('=').map((part) => part.trim());
    return name === '' || value.join('') === '' ? [] : [[name, filterIn(value.join('='))] as const];
  });
  return filters.length === 0 ? undefined : Object.fromEntries(filters);
}

/** A filter as a job file would have it: several values, yes or no, a number, or a text. */
function filterIn(typed: string): NonNullable<Choices['filters']>[string] {
  if (typed.includes(';')) return wordsIn(typed, /\s*;\s*/) ?? [];
  if (typed === 'true' || typed === 'false') return typed === 'true';
  return /^(0|[1-9]\d{0,14})$/.test(typed) ? Number(typed) : typed;
}

function wholeIn(typed: string, least: number, most = 1e9): number | undefined {
  const number = /^\d{1,10}$/.test(typed.trim()) ? Number(typed) : undefined;
  return number !== undefined && number >= least && number <= most ? number : undefined;
}

const AGES = ['', '7d', '30d', '90d', '180d', '365d'] as const;

function Refresh({ choices }: Part) {
  const ages = (name: 'refresh_after' | 'refresh_no_match_after') => (
    <Select
      name={words[name]}
      value={choices.value[name] ?? ''}
      options={[...new Set([...AGES, choices.value[name] ?? ''])].map((age) => [age, words.age(age)])}
      onChosen={(age) => choose(choices, { [name]: age || undefined })}
    />
  );
  return (
    <fieldset class="field-group">
      <legend>{words.refresh}</legend>
      {ages('refresh_after')}
      {ages('refresh_no_match_after')}
      <Checkbox
        checked={choices.value.refresh === true}
        onCheck={(isChecked) => choose(choices, { refresh: isChecked || undefined })}
        says={words.buyAnew}
      />
    </fieldset>
  );
}

/** A change that is sent again by itself could be a second mail, so it is only held or left out. */
function Doubts({ choices, isChange }: Part & { readonly isChange: boolean }) {
  const policy = choices.value.in_doubt ?? 'hold';
  const kind = typeof policy === 'object' ? 'retry' : policy;
  const extra = typeof policy === 'object' ? policy.retry.extra_credits : 0;
  const kinds = (['hold', 'skip', 'retry'] as const).filter((each) => !(isChange && each === 'retry'));
  const retry = (credits: number): void =>
    choose(choices, { in_doubt: { retry: { extra_credits: credits } } });
  return (
    <fieldset class="field-group">
      <legend>{words.doubts}</legend>
      <Select
        name={words.doubtsWhat}
        value={kind}
        options={kinds.map((each) => [each, words.doubtKinds[each]])}
        onChosen={(chosen) =>
          chosen === 'retry'
            ? retry(extra)
            : choose(choices, { in_doubt: chosen === 'skip' ? chosen : undefined })
        }
      />
      {kind === 'retry' && (
        <TextField
          name={words.extraCredits}
          value={extra}
          onTyped={(typed) => retry(wholeIn(typed, 0) ?? extra)}
        />
      )}
    </fieldset>
  );
}

type GuardsChosen = NonNullable<Choices['guards']>;

function Guards({ choices }: Part) {
  const guards = choices.value.guards ?? {};
  const say = (more: { readonly [Name in keyof GuardsChosen]?: GuardsChosen[Name] | undefined }): void => {
    const all = Object.entries({ ...guards, ...more }).filter(([, value]) => value !== undefined);
    choose(choices, { guards: all.length === 0 ? undefined : (Object.fromEntries(all) as GuardsChosen) });
  };
  return (
    <fieldset class="field-group">
      <legend>{words.guards}</legend>
      <TextField
        name={words.maxRemovals}
        value={guards.max_removals}
        onTyped={(typed) => say({ max_removals: shareOrNumber(typed) })}
      />
      <TextField
        name={words.maxInvites}
        value={guards.max_invites}
        onTyped={(typed) => say({ max_invites: wholeIn(typed, 0) })}
      />
      <TextField
        name={words.domains}
        value={guards.domains?.join(', ')}
        onTyped={(typed) => say({ domains: wordsIn(typed, /[\s,;]+/) })}
      />
      <Checkbox
        checked={guards.admins === 'allow'}
        onCheck={(isChecked) => say({ admins: isChecked ? 'allow' : undefined })}
        says={words.admins}
      />
    </fieldset>
  );
}

function shareOrNumber(typed: string): GuardsChosen['max_removals'] {
  return /^\d{1,3}(\.\d+)? ?%$/.test(typed) ? typed : wholeIn(typed, 0);
}

function wordsIn(typed: string, between: RegExp): string[] | undefined {
  const found = typed.split(between).filter((word) => word !== '');
  return found.length === 0 ? undefined : found;
}
