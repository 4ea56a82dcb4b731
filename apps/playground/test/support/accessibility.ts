import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** What axe finds wrong with a page as it is now, in light and in dark: one line each, none if all is well. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(axe.source)
    const result = await page.evaluate<{ violations: Violation[]; passes: unknown[] }>('axe.run()')
    if (result.passes.length === 0) throw new Error('axe looked at nothing')
    for (const { id, nodes } of result.violations) {
      for (const { html, failureSummary } of nodes) found.push(`${colorScheme}: ${id}: ${html}\n${failureSummary}`)
    }
  }
  return found
}
