import { posix } from 'node:path'

/**
 * Adds a player below the first heading of a page. The page imports its own narration.
 * @throws Error for a page without a heading of level 1
 */
export function narrate(markdown: string, route: string): string {
  const file = `./${posix.basename(route)}.md?narrate`
  const script = `<script setup>\nimport narration from '${file}'\n</script>\n`
  const heading = /^# .+$/m.exec(markdown)
  if (heading === null) throw new Error(`${route} has no heading of level 1: it cannot be narrated`)
  const end = heading.index + heading[0].length
  const player = '<PageNarration :narration="narration" />'
  return `${markdown.slice(0, end)}\n\n${script}\n${player}\n${markdown.slice(end)}`
}
