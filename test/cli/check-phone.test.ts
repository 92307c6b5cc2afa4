/**
 * Goal: telephone numbers of a list are checked as addresses are: one number in several ways of writing is one question, and a number that
 * would be dialled in another country than it was written for is not asked.
 * Method: the real command, an account that is not play money and speaks the shipped dialect, and a vendor on a real socket.
 */
import { expect, test } from 'vitest';
import { deskBefore } from './desk.ts';

const SAID: Readonly<Record<string, boolean>> = {
  '+61491570156': true,
  '0491570157': true,
  '+4930123': false,
};

test('check-phone asks for each number once, by its country where the number lacks one, and gives the verdict', async () => {
  const { desk, asked } = await deskBefore(
    ({ path, input }) => {
      const number = decodeURIComponent(new URL(path, 'http://v').pathname.split('/').at(-1) ?? '');
      const valid = SAID[number] ?? false;
      return {
        valid,
        phone_number: valid ? number : null,
        country_code: input.CountryCode ?? null,
        url: path,
      };
    },
    { dialect: 'twilio', secrets: { user: { value: 'AC00' } } },
  );
  const rows = [
    ['+61 491 570 156', ''],
    ['Tel. +61 (0)491 570 156', ''],
    ['0061491570156 ext. 9', 'AU'],
    ['0491 570 157', 'AU'],
    ['0491 570 157', ''],
    ['+49 30 123', ''],
    ['n/a', ''],
  ];
  await desk.write('list.csv', `Phone,Country\n${rows.map((row) => `"${row.join('","')}"\n`).join('')}`);
  await desk.write('job.yaml', 'operation: check-phone\naccount: data\nadd: { Reached: verdict }\n');
  const { code, stderr } = await desk.type(['run', 'job.yaml', 'list.csv', '--budget', '0', '-o', 'out.csv']);
  expect(code, stderr).toBe(3);
  expect(asked.map(({ path }) => path)).toEqual([
    '/v2/PhoneNumbers/%2B61491570156',
    '/v2/PhoneNumbers/%2B61491570156?CountryCode=AU',
    '/v2/PhoneNumbers/0491570157?CountryCode=AU',
    '/v2/PhoneNumbers/%2B4930123',
  ]);
  expect(desk.place.rows().map(({ Reached, _status }) => [Reached, _status])).toEqual([
    ['valid', 'matched'],
    ['valid', 'matched'],
    ['valid', 'matched'],
    ['valid', 'matched'],
    ['', 'invalid'],
    ['invalid', 'matched'],
    ['', 'invalid'],
  ]);
  expect(desk.place.rows()[4]?._reason).toContain('has no country code such as +61');
});
