import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { NarrationCache } from '../narrator/cache.ts'
import { pageKey, pieceKey, wholeText } from '../narrator/script.ts'
import type { Plan } from './plan.ts'

/**
 * Removes stale entries from the cache: those of a source in this build that no narration of the build uses, and those
 * of a source that no longer exists. Entries of other sources stay, and so do entries that name no source.
 * @param plans Every narration of the build, of which the bundle may use only the text.
 * @param root Folder that sources are relative to.
 * @returns The number of removed entries.
 */
export async function collectStale(cache: NarrationCache, plans: Iterable<Plan>, root: string): Promise<number> {
  const used = new Set<string>()
  const sources = new Set<string>()
  for (const { page } of plans) {
    sources.add(page.source)
    for (const key of page.script === undefined ? [] : keysOf(page.script)) used.add(key)
  }
  let removed = 0
  for await (const [key, { facts }] of cache.entries()) {
    const source = facts['source']
    if (typeof source !== 'string' || used.has(key)) continue
    if (!sources.has(source) && existsSync(resolve(root, source))) continue
    await cache.remove(key)
    removed += 1
  }
  return removed
}

function keysOf(script: NonNullable<Plan['page']['script']>): string[] {
  const texts = [...script.segments.map(({ spoken }) => spoken), wholeText(script)]
  return [pageKey(script), ...texts.map((text) => pieceKey(script.delivery, text))]
}
