/** The parts of docs/internals that follow from the program: the pictures of its states, and the rules that are taken out. */
import { ATTEMPT_MOVES, ROW_MOVES } from '../../src/ledger/schema.ts';
import { MUTATIONS } from '../mutations.ts';

type Moves = Readonly<Record<string, readonly string[]>>;

/** Mermaid draws the states of a machine. `[*]` is where a record begins, and where nothing moves it any more. */
function pictureOf(moves: Moves, first: string): string {
  const lines = [
    `[*] --> ${first}`,
    ...Object.entries(moves).flatMap(([from, to]) =>
      to.length === 0 ? [`${from} --> [*]`] : to.map((state) => `${from} --> ${state}`),
    ),
  ];
  return ['```mermaid', 'stateDiagram-v2', ...lines.map((line) => `  ${line}`), '```'].join('\n');
}

export const ledgerParts = (): Readonly<Record<string, string>> => ({
  attempts: pictureOf(ATTEMPT_MOVES, 'open'),
  rows: pictureOf(ROW_MOVES, 'pending'),
});

const seenBy = (simulated: (typeof MUTATIONS)[number]['simulated']): string =>
  typeof simulated === 'string' ? simulated : `none: ${simulated.never}`;

export function protocolParts(): Readonly<Record<string, string>> {
  const lines = MUTATIONS.map(
    ({ rule, file, test: [path, name], simulated }) =>
      `| ${rule} | [${file.split('/').at(-1)}](../../${file}) | ${path}: ${name.replaceAll('\\', '')} | ${seenBy(simulated)} |`,
  );
  return {
    mutations: [
      '| rule | taken out of | the test that fails | the world that shows it |',
      '|---|---|---|---|',
      ...lines,
    ].join('\n'),
  };
}
