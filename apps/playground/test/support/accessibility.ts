import axe from 'axe-core'
import type { Page } from 'playwright-core'

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[]
}

const THEMES = [
  { colorScheme: 'light', forcedColors: 'none' },
  { colorScheme: 'dark', forcedColors: 'none' },
  { colorScheme: 'light', forcedColors: 'active' },
] as const

/** Returns the faults that axe finds in the current page, one line each: light, dark, and with forced colours. */
export async function violations(page: Page): Promise<string[]> {
  const found: string[] = []
  for (const theme of THEMES) {
    await page.emulateMedia({ ...theme, reducedMotion: 'reduce' })
    await page.evaluate(axe.source)
    const result = await page.evaluate<{ violations: Violation[]; passes: unknown[] }>('axe.run()')
    if (result.passes.length === 0) throw new Error('axe checked nothing')
    for (const { id, nodes } of result.violations) {
      const name = theme.forcedColors === 'active' ? 'forced colours' : theme.colorScheme
      for (const { html, failureSummary } of nodes) found.push(`${name}: ${id}: ${html}\n${failureSummary}`)
    }
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null, reducedMotion: null })
  return found
}

/** Widths of a phone, a tablet and a desktop, in pixels. */
export const WIDTHS = [390, 768, 1440] as const

/** Returns the widths at which the page is wider than the window. */
export async function overflows(page: Page): Promise<number[]> {
  const found: number[] = []
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    const wide = await page.evaluate<number>('document.documentElement.scrollWidth')
    if (wide > width) found.push(width)
  }
  return found
}
