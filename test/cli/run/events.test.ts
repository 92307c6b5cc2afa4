/**
 * Goal: `--events FILE` tells a program all that happens in a run, and tells nobody about a person.
 * Method: real runs of a list of people against a vendor that loses answers and asks to wait; the file is read as lines
 * of JSON and searched for everything that the list and the answers hold.
 */
import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';
import { type Desk, openDesk } from '../desk.ts';

interface EventLine {
  readonly at: string;
  readonly event: string;
  readonly [name: string]: unknown;
}

function eventsIn(desk: Desk, name = 'events.jsonl'): readonly EventLine[] {
  const lines = readFileSync(desk.place.path(name), 'utf8').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => JSON.parse(line) as EventLine);
}

const count = (events: readonly EventLine[], kind: string): number =>
  events.filter(({ event }) => event === kind).length;

test('every request, answer, row and pause is a line, with its time', async () => {
  const desk = await openDesk({ faults: '429:x1,reset:x1' });
  desk.list(6);
  const result = await desk.json(desk.run('--events', 'events.jsonl'));
  const events = eventsIn(desk);
  expect(count(events, 'sent')).toBe(result.requests);
  expect(count(events, 'closed')).toBe(result.requests);
  expect(count(events, 'row')).toBe(6);
  expect(count(events, 'in_doubt')).toBe(1);
  expect(count(events, 'paused')).toBeGreaterThan(0);
  expect(events[0]).toMatchObject({ event: 'batch', batch: result.batch, rows: 6, resumed: false });
  expect(events.filter(({ event }) => event === 'answered')).toContainEqual(
    expect.objectContaining({ found: true, credits: 1 }),
  );
  const times = events.map(({ at }) => Date.parse(at));
  expect(times.every((time) => time > Date.UTC(2020, 0, 1))).toBe(true);
  expect([...times].sort((a, b) => a - b)).toEqual(times);
});

test('the runs of a batch make one file, which others may not read', async () => {
  const desk = await openDesk();
  desk.list(4);
  await desk.type(desk.run('--limit', '2', '--events', 'events.jsonl'));
  await desk.type(desk.run('--events', 'events.jsonl'));
  expect(eventsIn(desk).filter(({ event }) => event === 'batch')).toMatchObject([
    { resumed: false, settled: 0 },
    { resumed: true, settled: 2 },
  ]);
  expect(statSync(desk.place.path('events.jsonl')).mode & 0o777).toBe(0o600);
});

test('an event holds nothing of the list, of its name, or of what the vendor said', async () => {
  const desk = await openDesk({ faults: '422:x1,charged-500:x1' });
  await desk.write(
    'Jo-Citizen.csv',
    'Person,Email\nJo Citizen,jo.citizen@shop.example\nAl Ng,not an e-mail\n',
  );
  await desk.type([
    ...['run', 'enrich-person', 'Jo-Citizen.csv', '--budget', '9', '-o', 'Jo-out.csv'],
    ...['--events', 'events.jsonl'],
  ]);
  const text = readFileSync(desk.place.path('events.jsonl'), 'utf8');
  expect(text).toMatch(/"event":"row","row":2/);
  expect(text).not.toMatch(/jo|citizen|al ng|e-?mail|shop|example/i);
});

test('a file of somebody else gets no events, and then nothing is paid for', async () => {
  const desk = await openDesk();
  desk.list(1);
  const before = await desk.read('list.csv');
  const ended = await desk.type(desk.run('--events', 'list.csv'));
  expect(ended.code).toBe(2);
  expect(ended.stderr).toBe(
    'list.csv holds no events, so none are added.\nName another file with --events.\n',
  );
  expect(await desk.read('list.csv')).toBe(before);
  expect(await desk.requests()).toBe(0);
});
