import { type EngineName, EngineUnavailableError } from '../../ports/engine-state.ts'
import type { TaskKind } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'

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

/**
 * Refuses work that an engine is needed for which does not work now.
 * @param request Of the task, or what it would be made of.
 * @throws EngineUnavailableError
 */
export function requireEngines(
  kind: TaskKind,
  { diarize }: { readonly diarize?: unknown },
  engines: Services['engines'],
): void {
  const needed: readonly EngineName[] = diarize === true ? [ENGINES[kind], 'diarization'] : [ENGINES[kind]]
  for (const name of needed) {
    const { up, retryAfterSeconds } = engines[name]
    if (!up) throw new EngineUnavailableError(name, retryAfterSeconds)
  }
}
