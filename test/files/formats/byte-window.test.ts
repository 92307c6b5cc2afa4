import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteWindow } from '../../../src/files/formats/csv/byte-window.ts';

/**
 * Goal: the bytes of a row are those of the file, however reading and parsing take turns.
 * Method: any bytes, cut into any chunks, are appended and taken in any order that a parser could cause.
 */

/** A step of the reader, or of the parser: how many bytes it moves on. */
const step = fc.record({ appends: fc.boolean(), length: fc.nat({ max: 12 }) });

test('what is taken is what was appended, at the same place of the file', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat(), fc.array(step), (content, start, steps) => {
      const file = Buffer.from(content);
      const window = new ByteWindow(start);
      let appended = 0;
      let taken = 0;
      for (const { appends, length } of steps) {
        if (appends) {
          window.append(file.subarray(appended, appended + length));
          appended = Math.min(file.length, appended + length);
        } else {
          const end = Math.min(appended, taken + length);
          expect(window.next).toBe(taken < appended ? file[taken] : undefined);
          expect(window.peek(start + end)).toEqual(file.subarray(taken, end));
          expect(window.take(start + end)).toEqual(file.subarray(taken, end));
          taken = end;
        }
        expect([window.start, window.end]).toEqual([start + taken, start + appended]);
      }
    }),
  );
});

test('bytes that were taken already, or not yet read, cannot be asked for', () => {
  const window = new ByteWindow(10);
  window.append(Buffer.from('abc'));
  window.take(11);
  expect(() => window.take(10)).toThrow('bytes up to 10 of a window 11 to 13');
  expect(() => window.peek(14)).toThrow('bytes up to 14 of a window 11 to 13');
});
