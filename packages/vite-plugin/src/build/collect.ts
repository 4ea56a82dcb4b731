import { existsSync } from 'node:fs'
import type { Environment } from 'vite'
import { resolve } from 'node:path'
import type { NarrationCache } from '../narrator/narrator.ts'
import { pageKey, segmentKey } from '../script.ts'
import type { PendingAsset } from './narrate-all.ts'
import { count } from './report.ts'

interface Written {
  readonly environment: Environment
  readonly cache: NarrationCache
  readonly assets: ReadonlyMap<string, PendingAsset>
}

/**
 * Collects the stale entries of a build once the assets of all its environments are known: audio that one environment does
 * not use may belong to another.
 */
export class Collector {
  readonly #written = new Map<string, Written>()

  /** Notes the assets of an environment whose files are written. Collects after the last environment. */
  async written(written: Written): Promise<void> {
    const { environment } = written
    this.#written.set(environment.name, written)
    const { builder, environments } = environment.getTopLevelConfig()
    // Without a builder, a build has one environment.
    const expected = builder === undefined || builder === null ? [] : Object.keys(environments)
    if (expected.every((name) => this.#written.has(name))) await this.collect()
  }

  /** Collects after a build that omits environments. */
  async collect(): Promise<void> {
    const all = [...this.#written.values()]
    const last = all.at(-1)
    this.#written.clear()
    if (last === undefined) return
    const assets = all.flatMap((one) => Array.from(one.assets.values()))
    const removed = await collectStale(last.cache, assets, last.environment.config.root)
    if (removed === 0) return
    const entries = count(removed, 'stale entry', 'stale entries')
    last.environment.logger.info(`narration: ${entries} removed from the cache`)
  }
}

/**
 * Removes stale entries from the cache: those of a source in this build that no narration of the build uses, and those
 * of a source that no longer exists. Entries of other sources stay, and so do entries that name no source.
 * @param assets Every narration of the build, of which the bundle may use only the text.
 * @param root Folder that sources are relative to.
 * @returns The number of removed entries.
 */
async function collectStale(cache: NarrationCache, assets: Iterable<PendingAsset>, root: string): Promise<number> {
  const used = new Set<string>()
  const sources = new Set<string>()
  for (const { page } of assets) {
    sources.add(page.source)
    for (const key of page.script === undefined ? [] : keysOf(page.script)) used.add(key)
  }
  let removed = 0
  for await (const [key, { source }] of cache.entries()) {
    if (typeof source !== 'string' || used.has(key)) continue
    if (!sources.has(source) && existsSync(resolve(root, source))) continue
    await cache.remove(key)
    removed += 1
  }
  return removed
}

function keysOf(script: NonNullable<PendingAsset['page']['script']>): string[] {
  return [pageKey(script), ...script.segments.map((segment) => segmentKey(script, segment))]
}
