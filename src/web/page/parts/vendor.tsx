import { useSignal } from '@preact/signals';
import type { AccountTest } from '../../api.ts';
import { ask, look } from '../session.ts';
import { Act, Form } from './asking.tsx';
import { Field } from './controls.tsx';
import { counted } from './figures.ts';

/** Asks the vendor something that is free, and tells what the account's key is worth. */
export function TestAccount({ name }: { readonly name: string }) {
  const tested = useSignal<AccountTest | undefined>(undefined);
  const test = async (): Promise<void> => {
    tested.value = undefined;
    const { accounts } = await look<{ readonly accounts: readonly AccountTest[] }>('accounts/test', { name });
    tested.value = accounts[0];
  };
  return (
    <>
      <Act says="Test, free" does={test} />
      <span role="status">{tested.value && testedWords(tested.value)}</span>
    </>
  );
}

function testedWords({ connects, key_tried: isTried, user, balance, booked }: AccountTest): string {
  const whose = user?.email ?? user?.user_id;
  return [
    connects === true ? 'It answers.' : '',
    isTried === true ? 'The key works.' : 'The key itself was not tried: the first request does that.',
    whose ? `It belongs to ${whose}.` : '',
    balance === undefined ? '' : `${counted(balance, 'credit is', 'credits are')} left there.`,
    booked === undefined ? '' : `${counted(booked, 'credit was', 'credits were')} spent from here.`,
  ].join(' ');
}

interface NewKeyProps {
  readonly name: string;
  readonly says: string;
  onSaved(): unknown;
}

/** The key is sent once, in the body, and then leaves its field. */
export function NewKey({ name, says, onSaved }: NewKeyProps) {
  const change = ({ key }: Readonly<Record<string, unknown>>): Promise<unknown> =>
    ask('/accounts/add', { body: { name, key }, isLook: true }).then(onSaved);
  return (
    <Form says={says} sends={change}>
      <Field says="New key" name="key" type="password" autocomplete="new-password" required />
    </Form>
  );
}

export function read(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}

/** In lines where it has parts, else as it came. */
export function rawAnswer(body: string): string {
  const value = read(body);
  return typeof value === 'string' ? value : JSON.stringify(value, undefined, 2);
}

export const ANSWERS: Readonly<Record<string, string>> = {
  found: 'found',
  no_match: 'nothing found',
  refused: 'refused',
  not_sent: 'it was not sent',
  paused: 'it had to wait, and was asked again',
  stopped: 'it was stopped',
  in_doubt: 'none came, or nobody can read it',
  accepted: 'taken, and answered later',
};
