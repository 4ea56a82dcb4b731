import { join } from 'node:path'
import { capacityOf } from './capacity.ts'
import type { Clock } from './domain/clock.ts'
import { createDiarizer } from './drivers/engines/diarizer/index.ts'
import { createFliteEngine, FLITE } from './drivers/engines/flite/flite-engine.ts'
import { createPocketSphinxEngine, sweepCache } from './drivers/engines/pocketsphinx/index.ts'
import { WorkerProcess } from './drivers/engines/threads/worker-process.ts'
import { createSampleAnalyser } from './drivers/engines/voice-analysis/sample-analyser.ts'
import type { Log, Services } from './services.ts'
import { EngineSupervisor } from './use-cases/engines/engine-supervisor.ts'
import { FairSemaphore } from './domain/fair-semaphore.ts'
import {
  supervisedDiarization,
  supervisedRecognition,
  supervisedSpeech,
} from './use-cases/engines/supervised-engines.ts'
import { SAMPLE_LIMITS } from './use-cases/voices/voice-creation.ts'

/** Most files that are fetched at once. They mostly wait for the network. */
const FETCHES = 64

/** Most files of one tenant among them. Slow servers of one tenant do not block another. */
const FETCHES_PER_TENANT = 8

/** The engines of a service, and the semaphores before them. */
export type OpenEngines = Pick<
  Services,
  'speech' | 'recognition' | 'diarization' | 'analyser' | 'engines' | 'engineMemory'
> & {
  readonly semaphores: Omit<Services['semaphores'], 'encoding'>
  readonly close: () => Promise<void>
}

/**
 * Creates the engines. Resolves after the first probe of speech and diarization. The recognizer takes seconds to load,
 * and the first recordings wait for it. An engine that fails is retried until it works.
 */
export async function openEngines(dataDir: string, clock: Clock, log: Log): Promise<OpenEngines> {
  // More of each than a tenant can use: another tenant starts at once.
  const { processors, talkers, listeners, recordings } = capacityOf()
  const cacheDir = join(dataDir, 'cache')
  // A host each: the recognizer frees its memory while speech stays ready.
  const [speaking, listening] = [new WorkerProcess(), new WorkerProcess()]
  await sweepCache(cacheDir)
  const speech = new EngineSupervisor({
    name: 'speech',
    create: (signal) => createFliteEngine({ workers: talkers + 1, signal, startThread: speaking.start }),
    probe: async (engine, signal) => {
      const { chunks } = await engine.synthesize({ text: 'Yes.', voiceId: 'rms' }, { signal })
      for await (const chunk of chunks) if (chunk.length > 0) return
    },
    clock,
    log,
  })
  const recognition = new EngineSupervisor({
    name: 'recognition',
    create: () => createPocketSphinxEngine({ cacheDir, workers: recordings, startThread: listening.start }),
    probe: (engine, signal) => engine.recognize(silence(), { signal }),
    clock,
    log,
  })
  const diarization = new EngineSupervisor({
    name: 'diarization',
    create: async () => createDiarizer({ workers: recordings, startThread: listening.start }),
    probe: (engine, signal) => engine.diarize(silence(), { signal }),
    clock,
    log,
  })
  const analyser = createSampleAnalyser({
    limits: SAMPLE_LIMITS,
    workers: listeners + 1,
    startThread: listening.start,
  })
  const recognizing = recognition.start()
  await Promise.all([speech.start(), diarization.start()])
  return {
    speech: supervisedSpeech(speech, FLITE),
    recognition: supervisedRecognition(recognition, { name: 'pocketsphinx' }),
    diarization: supervisedDiarization(diarization, { name: 'voice-prints' }),
    analyser,
    engines: { speech, recognition, diarization },
    semaphores: {
      processing: new FairSemaphore(processors + 1, { perTenant: processors }),
      speech: new FairSemaphore(talkers + 1, { perTenant: talkers }),
      recognition: new FairSemaphore(recordings, { perTenant: listeners }),
      diarization: new FairSemaphore(recordings),
      fetching: new FairSemaphore(FETCHES, { perTenant: FETCHES_PER_TENANT }),
      analysis: new FairSemaphore(listeners + 1, { perTenant: listeners }),
    },
    engineMemory: () => ({ speech: speaking.residentBytes, recognition: listening.residentBytes }),
    async close() {
      await Promise.all([speech.close(), recognition.close(), diarization.close(), analyser.close(), recognizing])
      await Promise.all([speaking.close(), listening.close()])
    },
  }
}

/** A tenth of a second of silence. */
async function* silence(): AsyncGenerator<Uint8Array> {
  yield new Uint8Array(3200)
}
