import type { ErasureObject, RowObject } from '../../../api.ts';
import { Act } from '../../parts/act.tsx';
import { counted } from '../../parts/figures.ts';
import { ask, look } from '../../session.ts';

interface ErasureAnswer {
  readonly stores: readonly ErasureObject[];
}

/** Erases the person of a row for good, after she has read what that takes away. */
export function Forget({ object: { attempts } }: { readonly object: RowObject }) {
  const person = attempts
    .map(({ parameters }) => parameters.email)
    .find((email) => typeof email === 'string');
  if (person === undefined) return null;
  const forget = async (): Promise<void> => {
    const erased = await look<ErasureAnswer>('forget', { person, dry_run: true });
    if (confirm(`Erase this person for good? ${erasureWords(erased)}`))
      await ask('/forget', { body: { person, yes: true } });
  };
  return <Act look="link" says="Forget this person…" does={forget} />;
}

function erasureWords({ stores }: ErasureAnswer): string {
  const sum = (what: 'requests' | 'rows'): number => stores.reduce((all, each) => all + each[what], 0);
  const erased = `${counted(sum('requests'), 'question')} and ${counted(sum('rows'), 'row')} about this person`;
  return `${erased} are erased here, with every answer. Your own files and the service stay as they are.`;
}
