import type { NarratedPage, Narrator } from '../narrator/narrator.ts'
import { characters, type ScriptSegment } from '../narrator/script.ts'
import type { NarrationOptions } from '../options.ts'
import type { BuildCosts } from './build-costs.ts'
import { noteLatest, readLatest } from './latest.ts'
import type { PendingAsset } from './pending-asset.ts'
import type { ReportRow } from './report.ts'

/** The result of an asset. */
export interface Outcome {
  readonly asset: PendingAsset
  readonly row: ReportRow
  /** The audio, or `undefined` for a page without audio. */
  readonly page: NarratedPage | undefined
  /** Segments of the audio. A stale page has the segments of its last audio. */
  readonly segments: readonly ScriptSegment[]
  /** Error of a page that `onFailure` lets the build continue without. */
  readonly warning?: unknown
}

/** Options of {@link narrateAll}. */
export interface NarrateAllOptions extends Pick<NarrationOptions, 'mode' | 'onFailure'> {
  readonly narrator: Narrator
  readonly costs: BuildCosts
  /** Maximum pages read in parallel. */
  readonly readers: number
  /** Takes each page as soon as its audio exists. */
  readonly take: (outcome: Outcome) => Promise<void>
}

/** A narration failed and fails the build. */
export class PlanError extends Error {
  override readonly name = 'PlanError' as const
  readonly asset: PendingAsset

  constructor(asset: PendingAsset, cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.asset = asset
  }
}

/**
 * Makes the audio of a build. Counts and checks the characters of all calls before the first call.
 * @throws ConfigurationError when there are more than `maxCharacters`, or very many without it
 * @throws PlanError for the first narration that fails, with `onFailure: 'error'`
 */
export async function narrateAll(
  assets: readonly PendingAsset[],
  options: NarrateAllOptions,
): Promise<readonly ReportRow[]> {
  const { narrator, mode } = options
  const rows: ReportRow[] = []
  const missing: Missing[] = []
  const finish = async (outcome: Outcome): Promise<void> => {
    rows.push(outcome.row)
    await options.take(outcome)
  }
  await eachOf(assets, options.readers, async (asset) => {
    const { script } = asset.page
    if (script === undefined) return
    const page = await narrator.cached(script).catch((error: unknown) => {
      throw new PlanError(asset, error)
    })
    if (page === undefined) missing.push({ asset, ...(await narrator.estimate(script)) })
    else await finish({ asset, row: row(asset, 'cached', page), page, segments: script.segments })
  })
  if (missing.length > 0 && mode === 'dry-run') {
    options.costs.planDry(charactersOf(missing))
    for (const one of missing) {
      const sent = one.missing.reduce((sum, piece) => sum + piece.characters, 0)
      const planned = { ...row(one.asset, 'planned'), calls: one.missing.length, characters: sent }
      await finish({ asset: one.asset, row: planned, page: undefined, segments: [] })
    }
  } else if (missing.length > 0) await speakMissing(missing, options, finish)
  return rows
}

interface Missing {
  readonly asset: PendingAsset
  readonly missing: readonly { readonly key: string; readonly characters: number }[]
}

/** Characters of each missing segment, by its key. */
function charactersOf(missing: readonly Missing[]): ReadonlyMap<string, number> {
  return new Map(missing.flatMap((one) => one.missing.map((piece) => [piece.key, piece.characters] as const)))
}

async function speakMissing(
  missing: readonly Missing[],
  options: NarrateAllOptions,
  finish: (outcome: Outcome) => Promise<void>,
): Promise<void> {
  const { narrator, costs, mode, onFailure = 'error' } = options
  const [first] = missing
  const fault: unknown = await narrator.check().catch((error: unknown) => error)
  if (fault !== undefined && onFailure === 'error' && first !== undefined) throw new PlanError(first.asset, fault)
  costs.plan(charactersOf(missing), mode !== 'cache-only' && fault === undefined)
  const failed = new AbortController()
  // A call in flight is paid for. Its audio is stored for the next build.
  const caller = { scope: new AbortController().signal, gone: failed.signal }
  await settleAll(
    missing.map(async ({ asset }) => {
      const { script } = asset.page
      if (script === undefined) return
      const spoken = { calls: 0, characters: 0 }
      try {
        const page = await narrator.narrate(script, caller, (_, segment) => {
          const sent = characters(segment.spoken)
          spoken.calls += 1
          spoken.characters += sent
          costs.done(sent)
        })
        const state = spoken.calls === 0 ? 'cached' : spoken.calls < script.segments.length ? 'part' : 'new'
        await finish({ asset, row: { ...row(asset, state, page), ...spoken }, page, segments: script.segments })
        const { source, segments, format } = script
        await noteLatest(narrator.store.cache, asset.shownName, format, { source, key: page.key, segments })
      } catch (error) {
        if (onFailure === 'error') {
          const wasStopped = failed.signal.aborted && error === failed.signal.reason
          failed.abort(new Error('Stopped, because another narration failed: see its error'))
          // Report only the error that stopped the build.
          if (!wasStopped) throw new PlanError(asset, error)
          return
        }
        if (concernsAll(error)) failed.abort(error)
        const latest =
          onFailure === 'stale' ? await readLatest(narrator.store.cache, asset.shownName, script.format) : undefined
        const state = latest === undefined ? 'failed' : 'stale'
        const outcome = { asset, row: row(asset, state, latest?.page), segments: latest?.segments ?? [] }
        await finish({ ...outcome, page: latest?.page, warning: error })
      }
    }),
  )
}

/** Whether the next call would fail too: the service is down, refuses the key or limits calls. */
function concernsAll(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const status: unknown = Reflect.get(error, 'status')
  if (typeof status === 'number') return status === 401 || status === 403 || status === 429 || status >= 500
  return ['ConnectionError', 'TimeoutError', 'ConfigurationError'].includes(error.name)
}

function row(asset: PendingAsset, state: ReportRow['state'], page?: NarratedPage): ReportRow {
  const { durationSeconds, bytes } = page ?? {}
  return { source: pageName(asset), state, durationSeconds, characters: 0, calls: 0, bytes, script: asset.page.script }
}

/** Source and options of a page, without `?narrate`. */
export function pageName({ shownName }: PendingAsset): string {
  return shownName.replace(/[?&]narrate=?$/, '')
}

/** Waits for all promises, then throws the first error. No work is in flight after the call. */
async function settleAll(all: readonly Promise<void>[]): Promise<void> {
  let first: { readonly reason: unknown } | undefined
  await Promise.all(all.map((one) => one.catch((reason: unknown) => void (first ??= { reason }))))
  if (first !== undefined) throw first.reason
}

/** Runs a task for each value, with a limit on parallel tasks, in order. */
async function eachOf<Value>(
  values: readonly Value[],
  atOnce: number,
  task: (value: Value) => Promise<void>,
): Promise<void> {
  const rest = values.values()
  const worker = async (): Promise<void> => {
    for (const value of rest) await task(value)
  }
  await settleAll(Array.from({ length: Math.min(atOnce, values.length) }, worker))
}
