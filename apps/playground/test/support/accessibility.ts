import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

/** Returns the faults that axe finds in the current page, in the light and the dark theme, one line each. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.evaluate(axe.source)
    const result = await page.evaluate<{ violations: Violation[]; passes: unknown[] }>('axe.run()')
    if (result.passes.length === 0) throw new Error('axe checked nothing')
    for (const { id, nodes } of result.violations) {
      for (const { html, failureSummary } of nodes) found.push(`${colorScheme}: ${id}: ${html}\n${failureSummary}`)
    }
  }
  return found
}
