import { whatWords } from '../../../../../files/output/summary-words.ts';
import { Button, Checkbox, Popover } from '../../../parts/controls.tsx';
import { fillings, findings, isFill, operationsOf } from '../job.ts';
import type { OfAccounts } from './accounts.ts';
import { jobFor } from './begin.ts';

/** What is done beside the one thing that is chosen, as far as she has added it. */
export function SomethingElse({ scene, accounts }: OfAccounts) {
  const { job, choose } = scene;
  const fills = isFill(job);
  const chosen = operationsOf(job);
  const [first = ''] = chosen;
  const others = (fills ? fillings() : findings()).filter((name) => name !== first);
  const saysOf = (name: string): string => (fills ? whatWords(name) : `find ${whatWords(name)}`);
  const start = (operations: readonly string[]): void => choose(jobFor(scene, accounts, operations, fills));
  return (
    <>
      {others.length > 0 && (
        <Popover name="Something else" says="+ Something else" look="quiet">
          {() =>
            others.map((name) => (
              <Checkbox
                key={name}
                says={`Also ${saysOf(name)}`}
                checked={chosen.includes(name)}
                onCheck={(isOn) => {
                  // What she has chosen first stays the first.
                  const also = others.filter((each) => (each === name ? isOn : chosen.includes(each)));
                  start([first, ...also]);
                }}
              />
            ))
          }
        </Popover>
      )}
      {chosen.slice(1).map((name) => (
        <p key={name} class="bar">
          Also {saysOf(name)}
          <Button
            look="link"
            says="Remove it"
            aria-label={`Do not ${saysOf(name)}`}
            onClick={() => start(chosen.filter((each) => each !== name))}
          />
        </p>
      ))}
    </>
  );
}
