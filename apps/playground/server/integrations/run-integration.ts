import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { wordErrorRate } from '@svc-audio/testing'
import type { Integration, IntegrationContext, IntegrationOutcome } from './integration.ts'

/** What came out of a run. */
export interface IntegrationRun extends IntegrationOutcome {
  /** Milliseconds that it took, loading its framework not counted. */
  readonly ms: number
  /** Share of the words of the text that were not heard right. */
  readonly wordErrorRate: number
}

/**
 * Runs an integration in a folder of its own, which is gone afterwards.
 * @param scratch Folder to make it in.
 * @throws whatever the integration throws, or the loading of its framework
 */
export async function runIntegration(
  integration: Integration,
  context: Omit<IntegrationContext, 'folder'>,
  scratch: string,
): Promise<IntegrationRun> {
  const module = await integration.load()
  context.signal.throwIfAborted()
  const folder = await mkdtemp(join(scratch, `${integration.id}-`))
  try {
    const began = performance.now()
    const outcome = await module.run({ ...context, folder })
    const ms = Math.round(performance.now() - began)
    return { ...outcome, ms, wordErrorRate: wordErrorRate(context.text, outcome.transcript) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
