import { type EngineName, EngineUnavailableError } from '../../ports/engine-state.ts'
import type { Services } from '../../services.ts'

/**
 * Refuses work whose engine is down.
 * @param engine The engine that all work of its kind needs.
 * @param request The request. With `diarize`, the work needs the diarizer too.
 * @throws EngineUnavailableError
 */
export function requireEngines(
  engine: EngineName,
  { diarize }: { readonly diarize?: unknown },
  engines: Services['engines'],
): void {
  const needed: readonly EngineName[] = diarize === true ? [engine, 'diarization'] : [engine]
  for (const name of needed) {
    const { up, retryAfterSeconds } = engines[name]
    if (!up) throw new EngineUnavailableError(name, retryAfterSeconds)
  }
}
