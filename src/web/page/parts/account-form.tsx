import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AccountList } from '../../api.ts';
import { RefusedNotice } from '../loaded.tsx';
import { ask } from '../session.ts';
import { text } from '../text.ts';
import { useAction } from './action.ts';
import { Button, Select } from './controls.tsx';

const words = text.accounts;

interface AccountFormProps {
  readonly regions: readonly string[];
  onSaved(list: AccountList): void;
  onLeft(): void;
}

/**
 * Adds an account. The key is sent once and is in no field afterwards. Limits, budgets, and settings that
 * would name a program or a file of this machine are set in the accounts file alone.
 */
export function AccountForm({ regions, onSaved, onLeft }: AccountFormProps) {
  const action = useAction();
  const form = useRef<HTMLFormElement>(null);
  const vendor = useSignal<string>('provider');
  const region = useSignal('');
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const save = (event: Event): void => {
    event.preventDefault();
    if (form.current === null) return;
    const typed = [...new FormData(form.current)].map(([name, value]) => [name, String(value).trim()]);
    const body = {
      vendor: vendor.value,
      ...(region.value === '' ? {} : { region: region.value }),
      ...Object.fromEntries(typed.filter(([, value]) => value !== '')),
    };
    action.run(async () => onSaved(await ask<AccountList>('/accounts', { body })));
  };
  const fields = vendor.value === 'service' ? [...FIELDS, ...OF_SERVICE] : FIELDS;
  return (
    <form ref={form} class="stack" onSubmit={save} autocomplete="off">
      <h2>{words.add}</h2>
      <div class="fields">
        <Select
          name={words.vendor}
          value={vendor.value}
          options={Object.entries(words.vendors)}
          onChosen={(chosen) => (vendor.value = chosen)}
        />
        {vendor.value === 'service' && regions.length > 0 && (
          <Select
            name={words.region}
            value={region.value}
            options={[['', words.noRegion], ...regions]}
            onChosen={(chosen) => (region.value = chosen)}
          />
        )}
        {fields.map((field) => (
          <Field key={field.name} {...field} />
        ))}
      </div>
      <RefusedNotice refused={action.refused.value} />
      <div class="actions">
        <Button
          type="submit"
          class="primary"
          disabled={action.isBusy.value}
          says={action.isBusy.value ? words.saving : words.save}
        />
        <Button onClick={onLeft} says={words.leave} />
      </div>
    </form>
  );
}

const FIELDS: readonly FieldProps[] = [
  { name: 'name', label: words.name, hint: words.nameWhat, isNeeded: true },
  { name: 'base_url', label: words.address, hint: words.addressWhat },
  { name: 'key', label: words.key, hint: words.keyWhat, type: 'password', isNeeded: true },
];

const OF_SERVICE: readonly FieldProps[] = [
  { name: 'organization', label: words.organization },
  { name: 'project', label: words.project, hint: words.projectWhat },
];

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly type?: 'text' | 'password';
  readonly isNeeded?: boolean;
}

function Field({ name, label, hint, type = 'text', isNeeded = false }: FieldProps) {
  const autocomplete = type === 'password' ? 'new-password' : 'off';
  const attributes: object = { name, type, required: isNeeded, spellcheck: false, autocomplete };
  return (
    <label class="field">
      {label}
      <input {...attributes} />
      {hint !== undefined && <small>{hint}</small>}
    </label>
  );
}
