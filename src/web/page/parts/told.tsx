import type { ComponentChildren } from 'preact';
import { text } from '../text.ts';

/** A sentence of the program: a command that has a place on the page becomes a link to it. */

const COMMAND =
  /(?:(?:npx (?:--no )?(?:-- )?)?rowonce|(?:'[^']*'|\S+) (?:'[^']*bin\.js'|\S*bin\.js)) (?<command>[a-z]+)(?: (?<batch>[0-9a-f]{8})\b)?(?: (?<row>\d+)\b)?(?: --store (?:'[^']*'|\S+))?/g;

const BUY_AGAIN = 'run the list with --yes to buy it again';

export function Told({ children, batch }: { readonly children: string; readonly batch?: string }) {
  const [before, after] = children.split(BUY_AGAIN, 2);
  if (after === undefined || batch === undefined) return <>{linked(children)}</>;
  return (
    <>
      {linked(before ?? '')}
      <a href={`/batches/${batch}`}>{text.batch.toBuyAgain}</a>
      {linked(after)}
    </>
  );
}

function linked(sentence: string): ComponentChildren[] {
  const parts: ComponentChildren[] = [];
  let from = 0;
  for (const found of sentence.matchAll(COMMAND)) {
    const { command = '', batch, row } = found.groups ?? {};
    const place = placeOf(command, batch, row);
    if (place === undefined) continue;
    const words = [command, batch, row].filter((word) => word !== undefined);
    parts.push(sentence.slice(from, found.index), <a href={place}>{words.join(' ')}</a>);
    from = found.index + found[0].length;
  }
  return [...parts, sentence.slice(from)];
}

/** Where the page does what the command does. */
function placeOf(command: string, batch: string | undefined, row: string | undefined): string | undefined {
  if (command === 'accounts') return '/accounts';
  if (batch === undefined) return command === 'status' ? '/' : undefined;
  const page = `/batches/${batch}`;
  switch (command) {
    case 'settle':
      return `${page}/doubts`;
    case 'undo':
      return `${page}/undo`;
    case 'status':
      return row === undefined ? page : `${page}/rows/${row}`;
    case 'cancel':
    case 'pause':
    case 'resume':
      return page;
    default:
      return undefined;
  }
}
