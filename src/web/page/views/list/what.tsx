import { Button } from '../../parts/controls.tsx';
import { type Accounts, isFill, jobFor } from './choice.ts';
import { filling } from './fills.tsx';
import { isTeam, operationsOf, type Scene } from './scene.ts';

const FOUND = [
  { operation: 'enrich-company', says: 'Find companies' },
  { operation: 'enrich-person', says: 'Find people' },
];

interface WhatProps {
  readonly scene: Scene;
  readonly accounts: Accounts;
}

/** The question with which every list begins. Companies and people may both be found by one list. */
export function What({ scene, accounts }: WhatProps) {
  const { job } = scene;
  const chosen = isFill(job) ? [] : operationsOf(job);
  const choose = (operations: readonly string[]): void => scene.choose(jobFor(job, accounts, operations));
  const find = (name: string): void => {
    const isWanted = (each: string): boolean => chosen.includes(each) !== (each === name);
    choose(FOUND.map(({ operation }) => operation).filter(isWanted));
  };
  const pill = (says: string, isChosen: boolean, onClick: () => void) => (
    <Button
      look="pill"
      says={says}
      aria-pressed={isChosen}
      disabled={accounts.length === 0}
      onClick={onClick}
    />
  );
  return (
    <>
      <h2>What shall be done?</h2>
      <p class="row">
        {FOUND.map(({ operation, says }) => pill(says, chosen.includes(operation), () => find(operation)))}
        {pill('Fill blanks', isFill(job), () => scene.choose(filling(scene, accounts, 'find-email')))}
        {pill('Invite a team', isTeam(scene), () => choose(['onboard']))}
      </p>
    </>
  );
}
