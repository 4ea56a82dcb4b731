import { type EngineName, EngineUnavailableError } from '../../ports/engine-state.ts'
import type { TaskKind } from '../../ports/task-store.ts'
import { engineOf, TASK_KINDS } from '../operations/registry.ts'
import type { Services } from '../../services.ts'

/** Returns the kinds of tasks whose engine is down. */
export function kindsWithoutEngine(engines: Services['engines']): TaskKind[] {
  return TASK_KINDS.filter((kind) => !engines[engineOf(kind)].up)
}

/**
 * Refuses work whose engine is down.
 * @param request The request of the task.
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
