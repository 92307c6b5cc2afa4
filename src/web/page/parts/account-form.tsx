import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { AccountEdit, AccountList, NewAccount, PageAccount } from '../../api.ts';
import { Refusal } from '../loaded.tsx';
import { ask } from '../session.ts';
import { text } from '../text.ts';
import { useAction } from './action.ts';
import { Button, Options } from './controls.tsx';

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
  const vendor = useSignal(account?.vendor ?? 'provider');
  const id = account?.name ?? 'new';
  useEffect(() => form.current?.querySelector('input')?.focus(), []);
  const isNew = account === undefined;
  const save = (event: Event): void => {
    event.preventDefault();
    if (form.current === null) return;
    const given = new FormData(form.current);
    action.run(async () => {
      const list = isNew
        ? await ask<AccountList>('/accounts', { body: newAccount(given) })
        : await ask<AccountList>(`/accounts/${encodeURIComponent(account.name)}`, {
            method: 'PATCH',
            body: edited(given, account),
          });
      onSaved(list);
    });
  };
  return (
    <form ref={form} class="account-form" onSubmit={save} autocomplete="off">
      <h2>{isNew ? words.add : words.editing(account.name)}</h2>
      {isNew && <NewFields id={id} vendor={vendor} regions={regions} />}
      {account?.via == null && <PlaceFields id={id} account={account} />}
      {vendor.value === 'service' && <ServiceFields id={id} account={account} />}
      <NumberFields id={id} account={account} />
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

interface NewFieldsProps {
  readonly id: string;
  readonly vendor: Signal<PageAccount['vendor']>;
  readonly regions: readonly string[];
}

function NewFields({ id, vendor, regions }: NewFieldsProps) {
  return (
    <div class="form-fields">
      <Field id={id} name="name" label={words.name} hint={words.nameWhat} isNeeded />
      <label class="field">
        {words.vendor}
        <select
          name="vendor"
          value={vendor.value}
          onChange={({ currentTarget }) =>
            (vendor.value = currentTarget.value === 'service' ? 'service' : 'provider')
          }
        >
          <option value="provider">{words.vendors.provider}</option>
          <option value="service">{words.vendors.service}</option>
        </select>
      </label>
      {vendor.value === 'service' && regions.length > 0 && (
        <label class="field">
          {words.region}
          <select name="region">
            <option value="">{words.noRegion}</option>
            <Options of={regions} />
          </select>
        </label>
      )}
    </div>
  );
}

interface FieldsProps {
  readonly id: string;
  readonly account: PageAccount | undefined;
}

/** The address and its key: a new address needs the key again. */
function PlaceFields({ id, account }: FieldsProps) {
  const former = account?.address ?? '';
  const address = useSignal(former);
  const isNew = account === undefined;
  const isElsewhere = !isNew && address.value !== former;
  return (
    <div class="form-fields">
      <Field
        id={id}
        name="base_url"
        label={words.address}
        hint={words.addressWhat}
        value={former}
        onInput={(value) => (address.value = value)}
      />
      <Field
        id={id}
        name="key"
        label={isNew ? words.key : words.newKey}
        hint={isElsewhere ? words.keyAgain : isNew ? words.keyWhat : words.keyStays}
        type="password"
        isNeeded={isNew || isElsewhere}
      />
    </div>
  );
}

function ServiceFields({ id, account }: FieldsProps) {
  return (
    <div class="form-fields">
      <Field id={id} name="organization" label={words.organization} value={account?.organization ?? ''} />
      <Field
        id={id}
        name="project"
        label={words.project}
        hint={words.projectWhat}
        value={account?.project ?? ''}
      />
    </div>
  );
}

const LIMITS = ['per_second', 'per_minute', 'per_day', 'concurrency'] as const;
const BUDGETS = ['per_day', 'per_month'] as const;

function NumberFields({ id, account }: FieldsProps) {
  return (
    <>
      <fieldset>
        <legend>{words.limitsTitle}</legend>
        <div class="form-fields narrow">
          {LIMITS.map((name) => (
            <Field
              key={name}
              id={id}
              name={`limit_${name}`}
              label={words.limitNames[name]}
              value={shown(account?.limits[name])}
              type="number"
            />
          ))}
        </div>
      </fieldset>
      <fieldset>
        <legend>{words.budgetsTitle}</legend>
        <div class="form-fields narrow">
          {BUDGETS.map((name) => (
            <Field
              key={name}
              id={id}
              name={`budget_${name}`}
              label={words.budgetNames[name]}
              value={shown(account?.budget[name])}
              type="number"
            />
          ))}
        </div>
      </fieldset>
    </>
  );
}

const shown = (number: number | null | undefined): string => (number == null ? '' : String(number));

function Field({
  id,
  name,
  label,
  hint,
  value = '',
  type = 'text',
  isNeeded = false,
  onInput,
}: {
  /** Tells the fields of several forms apart. */
  readonly id: string;
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly value?: string;
  readonly type?: 'text' | 'password' | 'number';
  readonly isNeeded?: boolean;
  readonly onInput?: (value: string) => void;
}) {
  const inputId = `${id}-${name}`;
  const hintId = `${inputId}-hint`;
  const common = {
    id: inputId,
    name,
    defaultValue: value,
    required: isNeeded,
    spellcheck: false,
    'aria-describedby': hint === undefined ? undefined : hintId,
  };
  return (
    <div class="field-group">
      <label class="field" for={inputId}>
        {label}
      </label>
      {type === 'number' ? (
        <input {...common} type="number" min={0} step={1} inputMode="numeric" autocomplete="off" />
      ) : type === 'password' ? (
        <input {...common} type="password" autocomplete="new-password" />
      ) : (
        <input
          {...common}
          type="text"
          autocomplete="off"
          onInput={({ currentTarget }) => onInput?.(currentTarget.value)}
        />
      )}
      {hint !== undefined && <small id={hintId}>{hint}</small>}
    </div>
  );
}

function textOf(given: FormData, name: string): string | undefined {
  const value = given.get(name);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** A field that is empty means no limit. */
function numbersOf<Name extends string>(
  given: FormData,
  prefix: string,
  names: readonly Name[],
): Record<Name, number | null> {
  const entries = names.map((name) => {
    const value = textOf(given, `${prefix}_${name}`);
    return [name, value === undefined ? null : Number(value)] as const;
  });
  return Object.fromEntries(entries) as Record<Name, number | null>;
}

function newAccount(given: FormData): Partial<NewAccount> {
  const vendor = textOf(given, 'vendor') === 'service' ? 'service' : 'provider';
  const region = textOf(given, 'region') as NewAccount['region'];
  return {
    name: textOf(given, 'name') ?? '',
    vendor,
    ...(region === undefined ? {} : { region }),
    ...optional(given, ['base_url', 'organization', 'project', 'key']),
    limits: numbersOf(given, 'limit', LIMITS),
    budget: numbersOf(given, 'budget', BUDGETS),
  };
}

function edited(given: FormData, account: PageAccount): AccountEdit {
  const address = textOf(given, 'base_url');
  const { concurrency, ...limits } = numbersOf(given, 'limit', LIMITS);
  return {
    ...(address === undefined || address === account.address ? {} : { base_url: address }),
    ...optional(given, ['key']),
    ...(account.vendor === 'service'
      ? {
          organization: textOf(given, 'organization') ?? null,
          project: textOf(given, 'project') ?? null,
        }
      : {}),
    limits: { ...limits, ...(concurrency === account.limits.concurrency ? {} : { concurrency }) },
    budget: numbersOf(given, 'budget', BUDGETS),
  };
}

function optional<Name extends string>(
  given: FormData,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const entries = names.flatMap((name) => {
    const value = textOf(given, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries) as Partial<Record<Name, string>>;
}
