import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AccountList, PageAccount } from '../../api.ts';
import { Refusal } from '../loaded.tsx';
import { ask } from '../session.ts';
import { text } from '../text.ts';
import { useAction } from './action.ts';
import { Button, Select } from './controls.tsx';

const words = text.accounts;

interface AccountFormProps {
  /** Left out: a new one. */
  readonly account?: PageAccount;
  readonly regions: readonly string[];
  onSaved(list: AccountList): void;
  onLeft(): void;
}

/**
 * Adds an account, or changes one. The key is sent once and is in no field afterwards. What would name a program or a file of
 * this machine is set in the accounts file alone.
 */
export function AccountForm({ account, regions, onSaved, onLeft }: AccountFormProps) {
  const action = useAction();
  const form = useRef<HTMLFormElement>(null);
  const vendor = useSignal<string>(account?.vendor ?? 'provider');
  const region = useSignal('');
  const address = useSignal(account?.address ?? '');
  const isNew = account === undefined;
  // A new address needs the key again.
  const isElsewhere = !isNew && address.value !== (account.address ?? '');
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const save = (event: Event): void => {
    event.preventDefault();
    if (form.current === null) return;
    const changed = changedIn(new FormData(form.current), account);
    action.run(async () => {
      const about = { vendor: vendor.value, ...(region.value === '' ? {} : { region: region.value }) };
      const list = isNew
        ? await ask<AccountList>('/accounts', { body: { ...about, ...changed } })
        : await ask<AccountList>(`/accounts/${encodeURIComponent(account.name)}`, {
            method: 'PATCH',
            body: changed,
          });
      onSaved(list);
    });
  };
  const id = account?.name ?? 'new';
  const onAddress = ({ currentTarget }: { readonly currentTarget: HTMLFormElement }): void => {
    address.value = String(new FormData(currentTarget).get('base_url') ?? address.value).trim();
  };
  return (
    <form ref={form} class="account-form" onSubmit={save} onInput={onAddress} autocomplete="off">
      <h2>{isNew ? words.add : words.editing(account.name)}</h2>
      {isNew && <VendorFields {...{ vendor, region, regions }} />}
      <div class="form-fields">
        {fieldsOf(account, vendor.value, isElsewhere).map((field) => (
          <Field key={field.name} id={`${id}-${field.name}`} {...field} />
        ))}
      </div>
      {NUMBERS.map(({ of, title, names }) => (
        <fieldset key={of}>
          <legend>{title}</legend>
          <div class="form-fields narrow">
            {Object.entries(names).map(([name, label]) => {
              const value = String(numberIn(account, of, name) ?? '');
              return (
                <Field
                  key={name}
                  id={`${id}-${of}-${name}`}
                  name={`${of}.${name}`}
                  type="number"
                  {...{ label, value }}
                />
              );
            })}
          </div>
        </fieldset>
      ))}
      <Refusal refused={action.refused.value} />
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

interface VendorProps {
  readonly vendor: Signal<string>;
  readonly region: Signal<string>;
  readonly regions: readonly string[];
}

function VendorFields({ vendor, region, regions }: VendorProps) {
  return (
    <div class="form-fields">
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
    </div>
  );
}

function fieldsOf(
  account: PageAccount | undefined,
  vendor: string,
  isElsewhere: boolean,
): readonly FieldProps[] {
  const isNew = account === undefined;
  const keyHint = isElsewhere ? words.keyAgain : isNew ? words.keyWhat : words.keyStays;
  const { address, organization, project, via = null } = account ?? {};
  const place: readonly FieldProps[] = [
    { name: 'base_url', label: words.address, hint: words.addressWhat, value: address },
    {
      name: 'key',
      label: isNew ? words.key : words.newKey,
      hint: keyHint,
      type: 'password',
      isNeeded: isNew || isElsewhere,
    },
  ];
  const ofService: readonly FieldProps[] = [
    { name: 'organization', label: words.organization, value: organization },
    { name: 'project', label: words.project, hint: words.projectWhat, value: project },
  ];
  return [
    ...(isNew ? [{ name: 'name', label: words.name, hint: words.nameWhat, isNeeded: true }] : []),
    ...(via === null ? place : []),
    ...(vendor === 'service' ? ofService : []),
  ];
}

/** Fields of numbers; one that is empty means no limit. */
const NUMBERS = [
  { of: 'limits', title: words.limitsTitle, names: words.limitNames },
  { of: 'budget', title: words.budgetsTitle, names: words.budgetNames },
] as const;

type Numbers = (typeof NUMBERS)[number]['of'];

const numberIn = (account: PageAccount | undefined, of: Numbers, name: string): number | null =>
  (account?.[of] as Readonly<Record<string, number | null>> | undefined)?.[name] ?? null;

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string | null | undefined;
  readonly type?: 'text' | 'password' | 'number';
  readonly isNeeded?: boolean;
}

/** @param id tells the fields of several forms apart. */
function Field({
  id,
  name,
  label,
  hint,
  value,
  type = 'text',
  isNeeded = false,
}: FieldProps & { id: string }) {
  const hintId = hint === undefined ? undefined : `${id}-hint`;
  const attributes: object = {
    ...{ id, name, type, defaultValue: value ?? '', required: isNeeded, spellcheck: false },
    ...(type === 'number' ? { min: 0, step: 1 } : {}),
    autocomplete: type === 'password' ? 'new-password' : 'off',
    'aria-describedby': hintId,
  };
  return (
    <div class="field-group">
      <label class="field" for={id}>
        {label}
      </label>
      <input {...attributes} />
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  );
}

/** What is otherwise than the account has it: a text, a number, or null for what was emptied. */
function changedIn(given: FormData, account: PageAccount | undefined): Readonly<Record<string, unknown>> {
  const typed = (name: string): string | null => String(given.get(name) ?? '').trim() || null;
  const { address: base_url = null, organization = null, project = null } = account ?? {};
  const before = { name: null, base_url, key: null, organization, project };
  const texts = Object.entries(before).filter(([name, value]) => given.has(name) && typed(name) !== value);
  const numbers = NUMBERS.map(({ of, names }) => {
    const all = Object.keys(names).map((name) => [name, typed(`${of}.${name}`)] as const);
    const changed = all.map(([name, value]) => [name, value === null ? null : Number(value)] as const);
    return [of, Object.fromEntries(changed.filter(([name, now]) => now !== numberIn(account, of, name)))];
  });
  return Object.fromEntries([...texts.map(([name]) => [name, typed(name)]), ...numbers]);
}
