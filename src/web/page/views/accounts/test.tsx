import { useSignal } from '@preact/signals';
import type { AccountTest } from '../../../api.ts';
import { Act } from '../../parts/act.tsx';
import { counted } from '../../parts/figures.ts';
import { look } from '../../session.ts';

/** Asks the vendor something that is free, and tells what the account's key is worth. */
export function TestAccount({ name, says }: { readonly name: string; readonly says: string }) {
  const tested = useSignal<AccountTest | undefined>(undefined);
  const test = async (): Promise<void> => {
    tested.value = undefined;
    const { accounts } = await look<{ readonly accounts: readonly AccountTest[] }>('accounts/test', { name });
    tested.value = accounts[0];
  };
  return (
    <>
      <Act says={says} does={test} />
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
