/**
 * Goal: names of files and of columns steer no terminal, break no JSON and are text in a report, whatever they contain.
 * Method: the real command over a file whose name and headers hold sequences of a terminal and elements of HTML.
 */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ESC, OBEYED } from '../support/nasty.ts';
import { objectIn, openDesk } from './desk.ts';

const EVIL = `${ESC}[2J${ESC}]0;owned\u0007\u202e<img src=x onerror=alert(1)>`;
const FILE = `list${EVIL}.csv`;
const HEADER = `Note ${EVIL}`;

test('a name that is a command to a terminal, or an element of a page, is shown as a name', async () => {
  const desk = await openDesk();
  await desk.write(FILE, `Domain,"${HEADER}"\nacme.example,x\nnot a domain,y\n`);
  await desk.write('wrong.csv', `"${HEADER}","${HEADER}"\nacme.example,x\n`);
  const run = ['run', 'enrich-company', FILE, '--budget', '10'];
  for (const words of [
    ['plan', FILE],
    ['plan', 'enrich-company', FILE],
    ['plan', FILE, '--json'],
    ['plan', 'enrich-company', 'wrong.csv'],
    run,
    [...run, '--json'],
    ['status'],
    ['status', 'last'],
    ['status', 'last', '2', '--json'],
    ['export', 'last', '-o', `again${EVIL}.csv`],
    ['export', 'last', '--json', '-o', `again${EVIL}.csv`],
    ['run', 'enrich-company', `missing${EVIL}.csv`],
    ['run', `job${EVIL}.yaml`, FILE],
    ['plan', FILE, `--${EVIL}`],
  ]) {
    const { code, stdout, stderr } = await desk.type(words);
    expect(code, `${words[0]}: ${stderr}`).not.toBe(1);
    expect(`${stdout}${stderr}`, words.join(' ')).not.toMatch(OBEYED);
    if (words.includes('--json')) objectIn(stdout);
  }
  const report = readdirSync(desk.place.folder).find((name) => name.endsWith('.report.html')) ?? '';
  const page = await desk.read(report);
  expect(page).not.toMatch(OBEYED);
  expect(page).not.toContain('<img');
  expect(page).toContain('&lt;img src=x onerror=alert(1)>');
});
