import type { LatestPage, NarratedPage, Narrator, PlannedCall } from '../narrator/narrator.ts'
import type { NarrationOptions } from '../options.ts'
import { characters, type NarrationScript, type ScriptSegment } from '../script.ts'
import type { Page } from '../source/page.ts'
import type { BuildCosts } from './costs.ts'
import type { ReportRow } from './report.ts'

/** A narration that a build may need. */
export interface PendingAsset {
  /** Its name in placeholders. */
  readonly name: string
  /** The import as the user wrote it, from the site's root: the key of the asset in Vite's manifest. */
  readonly shownName: string
  /** Absolute path of the source, for errors. */
  readonly file: string
  readonly page: Page
}

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
 * @throws CostRefusedError when there are more than `maxCharacters`, or very many without it
 * @throws PlanError for the first narration that fails, with `onFailure: 'error'`
 */
export async function narrateAll(
  assets: readonly PendingAsset[],
  options: NarrateAllOptions,
): Promise<readonly ReportRow[]> {
  const { narrator, costs, mode } = options
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
    if (page === undefined) missing.push({ asset, script, calls: await narrator.callsOf(script) })
    else await finish({ asset, row: row(asset, 'cached', page), page, segments: script.segments })
  })
  const planned = new Map(missing.flatMap((one) => one.calls.map((call) => [call.key, call.characters] as const)))
  if (missing.length > 0 && mode === 'dry-run') {
    costs.planDry(planned)
    for (const { asset, calls } of missing) {
      const sent = calls.reduce((sum, call) => sum + call.characters, 0)
      const dry = { ...row(asset, 'planned'), calls: calls.length, characters: sent }
      await finish({ asset, row: dry, page: undefined, segments: [] })
    }
  } else if (missing.length > 0) await speakMissing(missing, planned, options, finish)
  return rows
}

interface Missing {
  readonly asset: PendingAsset
  readonly script: NarrationScript
  readonly calls: readonly PlannedCall[]
}

async function speakMissing(
  missing: readonly Missing[],
  planned: ReadonlyMap<string, number>,
  options: NarrateAllOptions,
  finish: (outcome: Outcome) => Promise<void>,
): Promise<void> {
  const { narrator, costs, mode, onFailure = 'error' } = options
  const [first] = missing
  const fault: unknown = await narrator.check().catch((error: unknown) => error)
  if (fault !== undefined && onFailure === 'error' && first !== undefined) throw new PlanError(first.asset, fault)
  costs.plan(planned, mode !== 'cache-only' && fault === undefined)
  const failed = new AbortController()
  // A call in flight is paid for. Its audio is stored for the next build.
  const caller = { scope: new AbortController().signal, gone: failed.signal }
  await settleAll(
    missing.map(async ({ asset, script }) => {
      const spoken = { calls: 0, characters: 0 }
      try {
        const page = await narrator.narrate(script, caller, (segment) => {
          const sent = characters(segment.spoken)
          spoken.calls += 1
          spoken.characters += sent
          costs.done(sent)
        })
        const { source, segments, format } = script
        const state = spoken.calls === 0 ? 'cached' : spoken.calls < segments.length ? 'part' : 'new'
        await finish({ asset, row: { ...row(asset, state, page), ...spoken }, page, segments })
        await narrator.cache.noteLatest(asset.shownName, format, { source, key: page.key, segments })
      } catch (error) {
        if (onFailure === 'error') {
          const wasStopped = failed.signal.aborted && error === failed.signal.reason
          failed.abort(new Error('Stopped, because another narration failed: see its error'))
          // Report only the error that stopped the build.
          if (!wasStopped) throw new PlanError(asset, error)
          return
        }
        if (concernsAll(error)) failed.abort(error)
        const latest: Partial<LatestPage> =
          (onFailure === 'stale' ? await narrator.cache.latest(asset.shownName, script.format) : undefined) ?? {}
        const { page, segments = [] } = latest
        await finish({
          asset,
          row: row(asset, page === undefined ? 'failed' : 'stale', page),
          page,
          segments,
          warning: error,
        })
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
