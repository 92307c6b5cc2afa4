import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** A desk's screen and a telephone's. The narrow one comes last, and stays, because there less has room for a click. */
const WIDTHS = [1280, 390] as const;

/** Everything stands within the screen, on a wide one and on a phone; what follows is done on the phone. */
export async function expectToFit(page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    expect(
      await page.evaluate('document.documentElement.scrollWidth - innerWidth'),
      `${width}`,
    ).toBeLessThanOrEqual(0);
  }
}
