import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import type { Served } from './served.ts';

/** A tab in a profile of its own, let in by a new address of the page. @param path the view that it opens. */
export async function openTab(
  browser: Browser,
  served: Served,
  { path = '/', ...options }: BrowserContextOptions & { readonly path?: string } = {},
): Promise<Page> {
  const page = await (await browser.newContext(options)).newPage();
  await page.goto(`${served.url}${path}#open=${await served.newWord()}`);
  await page.waitForSelector('main');
  return page;
}
