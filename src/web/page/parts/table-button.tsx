import type { HistoryTicketRequest } from '../../api.ts';
import { Refusal } from '../loaded.tsx';
import { text } from '../text.ts';
import { take, useAction } from './action.ts';
import { Button } from './controls.tsx';

export function TableButton({ of, name }: { readonly of: HistoryTicketRequest; readonly name: string }) {
  const action = useAction();
  return (
    <>
      <Button
        disabled={action.isBusy.value}
        onClick={() => action.run(() => take('/history/tickets', of))}
        says={action.isBusy.value ? text.batch.downloads.preparing : name}
      />
      <Refusal refused={action.refused.value} />
    </>
  );
}
