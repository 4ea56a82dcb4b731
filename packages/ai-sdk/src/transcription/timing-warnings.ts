import type { TranscriptionModelV4TimestampGranularity as Granularity } from '@ai-sdk/provider'
import { unsupported, type Warning } from '../warnings.ts'

/** Settings of `transcribe` that may cause a warning. */
export type TranscriptionSetting = 'timestampGranularities'

const STANDARD_MODEL = 'svc-transcribe-1.0'

/** Warnings for timings that the interface does not have: words, and segments of the standard model. */
export function timingWarnings(
  model: string,
  granularities: readonly Granularity[] = [],
): Warning<TranscriptionSetting>[] {
  const warnings: Warning<TranscriptionSetting>[] = []
  const warn = (details: string): void => void warnings.push(unsupported('timestampGranularities', details))
  if (granularities.includes('word')) warn('The service reports no times of words.')
  if (granularities.includes('segment') && model === STANDARD_MODEL) {
    warn(`${STANDARD_MODEL} reports no segments: use svc-transcribe-diarize-pro.`)
  }
  return warnings
}
