/** What is wrong with the rendered text of a page: cut, outside the screen, or on top of other text. */
import type { Page } from 'playwright-core';

/** Runs in the browser, so it uses nothing from outside. */
const FIND = `(() => {
  const found = [];
  const skipped = '.sr, caption, [hidden], .tape, .bottombar, .toast, .chart-labels, .canvas, dialog, .skip, .scale, option, script, noscript';
  const texts = [];
  // What is left of a rectangle in regions that scroll or cut.
  const seen = (rect, parent) => {
    let { left, right, top, bottom } = rect;
    for (let each = parent; each !== null && each !== document.body; each = each.parentElement) {
      const { overflowX, overflowY } = getComputedStyle(each);
      if (overflowX === 'visible' && overflowY === 'visible') continue;
      const box = each.getBoundingClientRect();
      [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
      [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
    }
    return { left, right, top, bottom, width: right - left, height: bottom - top };
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const text = node.textContent.trim();
    const parent = node.parentElement;
    if (text === '' || parent === null || parent.closest(skipped) || !parent.checkVisibility({ visibilityProperty: true })) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const whole of range.getClientRects()) {
      const rect = seen(whole, parent);
      if (rect.width < 1 || rect.height < 1) continue;
      texts.push({ text, parent, rect });
      if (rect.left < -1 || rect.right > innerWidth + 1) found.push('outside: ' + text);
    }
    for (let each = parent; each !== null && each !== document.body; each = each.parentElement) {
      const style = getComputedStyle(each);
      if (style.overflowX === 'visible') continue;
      if (style.textOverflow !== 'ellipsis' && each.scrollWidth > each.clientWidth + 1) found.push('cut: ' + text + ' in ' + each.className);
    }
  }
  for (let i = 0; i < texts.length; i++) {
    for (let j = i + 1; j < texts.length; j++) {
      const [a, b] = [texts[i], texts[j]];
      if (a.parent === b.parent) continue;
      const width = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left);
      const height = Math.min(a.rect.bottom, b.rect.bottom) - Math.max(a.rect.top, b.rect.top);
      if (width > 2 && height > 4) found.push('overlap: ' + a.text + ' and ' + b.text);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth + 1) found.push('the page scrolls sideways');
  return [...new Set(found)].slice(0, 8);
})()`;

export function layoutFaults(page: Page): Promise<string[]> {
  return page.evaluate(FIND) as Promise<string[]>;
}
