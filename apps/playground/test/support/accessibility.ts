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

/** Widths of a phone, a desktop at 200 %, a tablet and a desktop, in pixels. */
export const WIDTHS = [390, 720, 768, 1440] as const

/**
 * Returns the faults that axe finds in the current page, one line each: at each width in light, dark and forced
 * colours, with reduced motion.
 */
export async function violations(page: Page, widths: readonly number[] = WIDTHS): Promise<string[]> {
  const found: string[] = []
  const before = page.viewportSize()
  await page.evaluate(axe.source)
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 })
    for (const theme of THEMES) {
      await page.emulateMedia({ ...theme, reducedMotion: 'reduce' })
      for (const fault of await faultsOf(page)) {
        found.push(`${width} px, ${theme.forcedColors === 'active' ? 'forced colours' : theme.colorScheme}: ${fault}`)
      }
    }
  }
  await page.emulateMedia({ colorScheme: null, forcedColors: null, reducedMotion: null })
  if (before !== null) await page.setViewportSize(before)
  return found
}

/** With the size of targets, which axe leaves out otherwise (WCAG 2.2 AA). */
const RUN = "axe.run({ rules: { 'target-size': { enabled: true } } })"

async function faultsOf(page: Page): Promise<string[]> {
  const result = await page.evaluate<{ violations: Violation[]; passes: unknown[] }>(RUN)
  if (result.passes.length === 0) throw new Error('axe checked nothing')
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  )
}

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
