/**
 * Goal: the picture of a batch shows how fast it went against what the account allows, when it waited, and what it spent.
 * Method: the shapes of a batch of known seconds.
 */
import { expect, test } from 'vitest';
import { chartShapes } from '../../src/web/page/parts/chart.ts';

const AT = Date.UTC(2026, 10, 20, 2, 0, 0);
const SENT = [4, 5, 2, 0, 0, 0, 0, 5, 5, 5];

/** Ten seconds: three of work at 4, 5 and 2 a second, four of a pause, three of work at 5. */
const shapes = chartShapes(
  {
    ...{ from_ms: AT, bucket_ms: 1_000, requests: SENT, credits: SENT },
    pauses: [{ from_ms: AT + 3_000, until_ms: AT + 7_000 }],
  },
  5,
  {
    ...{ perSecond: 'requests/s', credits: 'credits', limit: (perSecond) => `limit ${perSecond}/s` },
    number: String,
    time: (atMs) => new Date(atMs).toISOString().slice(11, 19),
  },
  720,
);

/** The numbers of an attribute, for every element of that class. */
const numbers = (name: string, attribute: string): readonly number[] =>
  shapes.flatMap(([, attributes]) => (attributes.class === name ? Number(attributes[attribute]) : []));

test('the speed is drawn against the limit, pauses are shaded, and the credits are added up', () => {
  const heights = numbers('speed', 'height');
  expect(heights).toHaveLength(6);
  expect(heights[0]).toBeCloseTo((heights[1] ?? 0) * 0.8, 0);
  const [bars, [shadeX = 0], [shadeWidth = 0]] = [
    numbers('speed', 'x'),
    numbers('pause', 'x'),
    numbers('pause', 'width'),
  ];
  expect(shadeX).toBeGreaterThan(bars[2] ?? 0);
  expect(shadeX + shadeWidth).toBeCloseTo(bars[3] ?? 0, 0);
  const line = shapes.find(([, attributes]) => attributes.class === 'credits')?.[1].points;
  const steps = String(line)
    .split(' ')
    .map(Number)
    .filter((_, index) => index % 2 === 1);
  expect(steps).toEqual([...steps].sort((a, b) => b - a));
  const words = shapes.flatMap(([, , said]) => said ?? []);
  for (const said of ['limit 5/s', '26', '02:00:00', '02:00:10']) expect(words).toContain(said);
});
