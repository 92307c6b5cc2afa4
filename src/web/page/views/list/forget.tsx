import { useSignal } from '@preact/signals';
import type { ErasureObject, RowObject } from '../../../api.ts';
import { RefusedNotice } from '../../loaded.tsx';
import { useAction } from '../../parts/action.ts';
import { Button } from '../../parts/controls.tsx';
import { counted } from '../../parts/figures.ts';
import { ask, look } from '../../session.ts';

interface ErasureAnswer {
  readonly stores: readonly ErasureObject[];
}

/** Erases the person of a row for good, after what that takes away was seen. */
export function Forget({ object: { attempts } }: { readonly object: RowObject }) {
  const person = attempts
    .map(({ parameters }) => parameters.email)
    .find((email) => typeof email === 'string');
  const seen = useSignal<ErasureAnswer | undefined>(undefined);
  const action = useAction();
  if (person === undefined) return null;
  const see = (): void =>
    action.run(async () => {
      seen.value = await look<ErasureAnswer>('forget', { person, dry_run: true });
    });
  const erase = (): void =>
    action.run(async () => {
      await ask('/forget', { body: { person, yes: true } });
      seen.value = undefined;
    });
  return (
    <>
      <hr />
      {seen.value === undefined && (
        <Button look="link" says="Forget this person…" disabled={action.isBusy.value} onClick={see} />
      )}
      {seen.value && (
        <div class="need">
          <p>{erasureWords(seen.value)}</p>
          <Button look="danger" says="Erase for good" disabled={action.isBusy.value} onClick={erase} />{' '}
          <Button says="Keep it" onClick={() => (seen.value = undefined)} />
        </div>
      )}
      <RefusedNotice refused={action.refused.value} />
    </>
  );
}

function erasureWords({ stores }: ErasureAnswer): string {
  const sum = (what: 'requests' | 'rows'): number => stores.reduce((all, each) => all + each[what], 0);
  const erased = `${counted(sum('requests'), 'question')} and ${counted(sum('rows'), 'row')} about this person`;
  return `${erased} are erased here, with every answer. Your own files and the service stay as they are.`;
}
