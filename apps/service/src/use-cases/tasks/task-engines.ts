import { type EngineName, EngineUnavailableError } from '../../ports/engine-state.ts'
import type { TaskKind } from '../../ports/task-store.ts'
import { engineOf, TASK_KINDS } from '../operations/registry.ts'
import type { Services } from '../../services.ts'

/** The kinds of tasks that nobody can work on now. */
export function kindsWithoutEngine(engines: Services['engines']): TaskKind[] {
  return TASK_KINDS.filter((kind) => !engines[engineOf(kind)].up)
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
  const needed: readonly EngineName[] = diarize === true ? [engineOf(kind), 'diarization'] : [engineOf(kind)]
  for (const name of needed) {
    const { up, retryAfterSeconds } = engines[name]
    if (!up) throw new EngineUnavailableError(name, retryAfterSeconds)
  }
}
