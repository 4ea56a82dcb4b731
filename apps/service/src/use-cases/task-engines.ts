import { type EngineName, EngineUnavailableError } from '../ports/engine-failure.ts'
import type { Claim, TaskKind } from '../ports/task-store.ts'
import type { Services } from '../services.ts'
import type { TranscriptionWork } from './transcription-rules.ts'

/** What every task of a kind needs. */
const ENGINES: Readonly<Record<TaskKind, EngineName>> = {
  'audio.speech': 'speech',
  'audio.voice_generation': 'speech',
  'audio.transcription': 'recognition',
}

/** The kinds of tasks that nobody can work on now. */
export function kindsWithoutEngine(engines: Services['engines']): TaskKind[] {
  return (['audio.speech', 'audio.voice_generation', 'audio.transcription'] as const).filter(
    (kind) => !engines[ENGINES[kind]].up,
  )
}

/** Whether an engine that this task needs does not work now. What cannot be taken up again needs none. */
export function lacksEngine({ task, request }: Claim, engines: Services['engines']): boolean {
  if (request === undefined) return false
  return !engines[ENGINES[task.kind]].up || (request['diarize'] === true && !engines.diarization.up)
}

/**
 * Refuses a transcription that nobody can work on now.
 * @throws EngineUnavailableError
 */
export function requireEngines({ diarize }: Pick<TranscriptionWork, 'diarize'>, engines: Services['engines']): void {
  const needed: readonly EngineName[] = diarize ? ['recognition', 'diarization'] : ['recognition']
  for (const name of needed) {
    const { up, retryAfterSeconds } = engines[name]
    if (!up) throw new EngineUnavailableError(name, retryAfterSeconds)
  }
}
