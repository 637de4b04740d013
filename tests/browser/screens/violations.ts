import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

/** Less severe rules that are checked anyway. */
const kept: readonly string[] = ['page-has-heading-one', 'heading-order', 'skip-link']
/** Rules about colors: all that another theme of the same screen can break. */
const colorRules: readonly string[] = ['color-contrast', 'link-in-text-block']

/** Severely broken rules, and those of `kept`, each with its element; a second theme is checked for its colors. */
export type FindViolations = (page: Page, options?: { onlyColors: boolean }) => Promise<string[]>

export async function makeFindViolations(): Promise<FindViolations> {
  const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
  return async (page, { onlyColors } = { onlyColors: false }) => {
    if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(`(() => {\n${axe}\n})()`)
    // The page of a service is its author's.
    const options = {
      iframes: false,
      resultTypes: ['violations'],
      ...(onlyColors ? { runOnly: { type: 'rule', values: colorRules } } : {}),
    }
    const results = (await page.evaluate(
      `axe.run({ exclude: ['.frame iframe'] }, ${JSON.stringify(options)})`,
    )) as AxeResults
    return results.violations
      .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || kept.includes(id))
      .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 200)}: ${node.failureSummary}`))
  }
}
