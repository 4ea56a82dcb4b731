import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { wordErrorRate } from '@svc-audio/testing'
import type { Integration, IntegrationContext, IntegrationOutcome } from './integration.ts'

/** Outcome of a run. */
export interface IntegrationRun extends IntegrationOutcome {
  /** Milliseconds of the run, without loading the framework. */
  readonly ms: number
  /** Word error rate of the transcript. 0 is perfect. */
  readonly wordErrorRate: number
}

/**
 * Runs an integration in a temporary folder.
 * @param scratch Parent of the temporary folder.
 * @throws errors of the integration and of loading its framework
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
