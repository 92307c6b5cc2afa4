import { useSignal } from '@preact/signals';
import type { Choices } from '../../../api.ts';
import { Button, Checkbox, Select } from '../../parts/controls.tsx';
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
  const name = useSignal('');
  const value = useSignal('');
  const filters = choices.value.filters ?? {};
  const add = (): void => {
    const [key, typed] = [name.value.trim(), value.value.trim()];
    if (key === '' || typed === '') return;
    choose(choices, { filters: { ...filters, [key]: filterIn(typed) } });
    name.value = '';
    value.value = '';
  };
  const remove = (key: string): void => {
    const others = Object.entries(filters).filter(([each]) => each !== key);
    choose(choices, { filters: others.length === 0 ? undefined : Object.fromEntries(others) });
  };
  return (
    <fieldset class="field-group">
      <legend>{words.filters}</legend>
      <small>{words.filtersWhat}</small>
      <ul class="plain-list">
        {Object.entries(filters).map(([key, kept]) => (
          <li key={key}>
            <strong>{key}</strong> {Array.isArray(kept) ? kept.join('; ') : String(kept)}{' '}
            <Button class="plain" onClick={() => remove(key)} says={words.leaveOut(key)} />
          </li>
        ))}
      </ul>
      <div class="actions end">
        <label class="field">
          {words.filterName}
          <input value={name.value} onInput={(event) => (name.value = event.currentTarget.value)} />
        </label>
        <label class="field">
          {words.filterValue}
          <input value={value.value} onInput={(event) => (value.value = event.currentTarget.value)} />
        </label>
        <Button onClick={add} says={words.addFilter} />
      </div>
      <label class="field">
        {words.pages}
        <input
          class="short"
          inputMode="numeric"
          defaultValue={choices.value.pages ?? ''}
          onChange={({ currentTarget }) => choose(choices, { pages: wholeIn(currentTarget.value, 1, 20) })}
        />
      </label>
    </fieldset>
  );
}

/** A filter as a job file would have it: several values, yes or no, a number, or a text. */
function filterIn(typed: string): NonNullable<Choices['filters']>[string] {
  if (typed.includes(';'))
    return typed
      .split(';')
      .map((each) => each.trim())
      .filter((each) => each !== '');
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
        <label class="field">
          {words.extraCredits}
          <input
            class="short"
            inputMode="numeric"
            defaultValue={extra}
            onChange={({ currentTarget }) => retry(wholeIn(currentTarget.value, 0) ?? extra)}
          />
        </label>
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
  const field = (name: string, value: string | number | undefined, onChange: (typed: string) => void) => (
    <label class="field">
      {name}
      <input
        defaultValue={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value.trim())}
      />
    </label>
  );
  return (
    <fieldset class="field-group">
      <legend>{words.guards}</legend>
      {field(words.maxRemovals, guards.max_removals, (typed) => say({ max_removals: shareOrNumber(typed) }))}
      {field(words.maxInvites, guards.max_invites, (typed) => say({ max_invites: wholeIn(typed, 0) }))}
      {field(words.domains, guards.domains?.join(', '), (typed) => say({ domains: wordsIn(typed) }))}
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

function wordsIn(typed: string): string[] | undefined {
  const words = typed.split(/[\s,;]+/).filter((word) => word !== '');
  return words.length === 0 ? undefined : words;
}
