import type { SpeechDriver, SpeechEngine } from '@svc-audio/engine-ports'
import { createFliteEngine, FLITE } from './flite/flite-engine.ts'
import { createJoeEngine, hasJoe, JOE } from './joe/joe-engine.ts'
import type { RuntimeChoice } from './onnx/runtime.ts'
import type { StartThread } from './threads/thread.ts'

/** The voices of flite, quick to make, of which one tells that speech works. */
const QUICK = FLITE.voices[0]?.id

/**
 * Makes the driver of bundled speech: the voice `joe`, where its package is installed, and the voices of flite.
 * @param startThread Starts the threads of both.
 * @param runtime What runs the graphs of `joe`. @default 'auto'
 */
export function bundledSpeech(startThread: StartThread, runtime: RuntimeChoice = 'auto'): SpeechDriver {
  if (!hasJoe()) {
    return { ...FLITE, create: ({ signal, workers }) => createFliteEngine({ signal, workers, startThread }) }
  }
  const described = { name: `${JOE.name} and ${FLITE.name}`, voices: [...JOE.voices, ...FLITE.voices] }
  return {
    ...described,
    async create({ signal, workers }) {
      const flite = await createFliteEngine({ signal, workers, startThread })
      // It starts with its first work.
      const joe = createJoeEngine({ workers: Math.min(workers, MOST_THREADS), startThread, runtime })
      return { ...described, probeVoiceId: QUICK, ...routed([joe, flite]) }
    },
  }
}

/** Threads of `joe`. Each holds the graphs. */
const MOST_THREADS = 2

/** Speaks with the engine that has the voice. */
function routed(engines: readonly SpeechEngine[]): Pick<SpeechEngine, 'synthesize' | 'close'> {
  return {
    async synthesize(request, options) {
      const engine = engines.find(({ voices }) => voices.some(({ id }) => id === request.voiceId))
      if (engine === undefined) throw new RangeError(`Unknown voice: ${request.voiceId}`)
      return engine.synthesize(request, options)
    },
    async close() {
      await Promise.all(engines.map((engine) => engine.close()))
    },
  }
}
