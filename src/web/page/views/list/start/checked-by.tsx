import { Checkbox, Select } from '../../../parts/controls.tsx';
import { checkersLike, named, type StepProps } from './accounts.ts';

const VERDICTS = [
  ['valid', 'valid'],
  ['accept_all', 'accept-all'],
  ['unknown', 'not known'],
] as const;

/** Who checks each found address, and which answers count. */
export function CheckedBy({ step, accounts, onChosen }: Omit<StepProps, 'scene'>) {
  const able = checkersLike(step, accounts);
  const { check } = step;
  return (
    <>
      <Select
        name="Checked by"
        value={[check?.account ?? ''].flat()[0] ?? ''}
        options={[['', 'nobody'], ...named(able)]}
        onChosen={(account) => onChosen({ ...step, check: account ? { ...check, account } : undefined })}
      />
      {check && (
        <p class="picks">
          Counts:
          {VERDICTS.map(([verdict, says]) => {
            const { accept: accepted = ['valid'] } = check;
            const others = accepted.filter((each) => each !== verdict);
            const count = (isOn: boolean): void => {
              const accept = isOn ? [...others, verdict] : others;
              if (accept.length > 0) onChosen({ ...step, check: { ...check, accept } });
            };
            return (
              <Checkbox key={verdict} says={says} checked={accepted.includes(verdict)} onCheck={count} />
            );
          })}
        </p>
      )}
    </>
  );
}
