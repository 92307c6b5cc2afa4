import { capital } from '../../../../files/output/summary-words.ts';
import { Button } from '../../parts/controls.tsx';
import { type Accounts, jobFor } from './choice.ts';
import { FILLS } from './fields.tsx';
import { isFill, operationsOf } from './job.ts';
import type { Scene } from './scene.ts';
import { whatWords } from './words.ts';

const FINDS = ['enrich-company', 'enrich-person'];

interface WhatProps {
  readonly scene: Scene;
  readonly accounts: Accounts;
}

/** The question with which every list begins. Several things may be found, or filled, by one list. */
export function What({ scene, accounts }: WhatProps) {
  const { job, choose } = scene;
  const fills = isFill(job);
  const chosen = operationsOf(job);
  const start = (operations: readonly string[], isFilled = false): void =>
    choose(jobFor(scene, accounts, operations, isFilled));
  const pills = (names: readonly string[], isFilled: boolean, saysOf: (name: string) => string) =>
    names.map((name) => {
      const isChosen = (each: string): boolean => fills === isFilled && chosen.includes(each);
      const next = names.filter((each) => isChosen(each) !== (each === name));
      return pill(saysOf(name), isChosen(name), () => start(next, isFilled));
    });
  const pill = (says: string, isChosen: boolean, onClick: () => void) => (
    <Button look="pill" says={says} aria-pressed={isChosen} onClick={onClick} />
  );
  return (
    <>
      <h2>What shall be done?</h2>
      <p class="row">
        {pills(FINDS, false, (name) => `Find ${whatWords(name)}`)}
        {pill('Fill blanks', fills, () => start(['find-email'], true))}
        {pill('Invite a team', chosen.includes('onboard'), () => start(['onboard']))}
      </p>
      {fills && <p class="row">{pills(FILLS, true, (name) => capital(whatWords(name)))}</p>}
    </>
  );
}
