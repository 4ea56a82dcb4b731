import { join } from 'node:path'
import type { EngineDrivers } from '@svc-audio/engine-ports'
import type { Priorities } from '@svc-audio/engine-ports/driver'
import { bundledEngines } from '@svc-audio/engines'
import { capacityOf } from './capacity.ts'
import type { Clock } from './domain/clock.ts'
import { FairSemaphore } from './domain/fair-semaphore.ts'
import type { Log, Services } from './services.ts'
import { EngineSupervisor } from './use-cases/engines/engine-supervisor.ts'
import { probeSpeech, silence } from './use-cases/engines/probes.ts'
import {
  supervisedDiarization,
  supervisedRecognition,
  supervisedSpeech,
} from './use-cases/engines/supervised-engines.ts'
import { SAMPLE_LIMITS } from './use-cases/voices/voice-creation.ts'

/** Maximum files that are fetched at once. They mostly wait for the network. */
const FETCHES = 64

/** Maximum files per tenant among them. Slow servers of one tenant do not block another. */
const FETCHES_PER_TENANT = 8

/** The engines of a service, and the semaphores before them. */
export type OpenEngines = Pick<
  Services,
  'speech' | 'recognition' | 'diarization' | 'analyser' | 'designer' | 'engines' | 'engineMemory' | 'measureEngineShare'
> & {
  readonly semaphores: Omit<Services['semaphores'], 'encoding'>
  readonly close: () => Promise<void>
}

/** Options of {@link openEngines}. */
export interface OpenEnginesOptions {
  readonly dataDir: string
  readonly clock: Clock
  readonly log: Log
  /** Engines in place of the bundled ones. */
  readonly drivers?: Partial<EngineDrivers> | undefined
  readonly priorities: Priorities
  /** Returns whether several tenants have work. Asked while an engine works. */
  readonly othersWait: () => boolean
}

/**
 * Creates the engines. Resolves after the first probe of speech and diarization. The recognizer takes seconds to load,
 * and the first recordings wait for it. An engine that fails is retried until it works.
 */
export async function openEngines({ dataDir, clock, log, drivers, ...work }: OpenEnginesOptions): Promise<OpenEngines> {
  // More of each than a tenant can use: another tenant starts at once.
  const { processors, talkers, listeners, recordings } = capacityOf()
  const made: EngineDrivers = { ...bundledEngines(work), ...drivers }
  const cacheDir = join(dataDir, 'cache')
  const speech = new EngineSupervisor({
    name: 'speech',
    create: (signal) => made.speech.create({ signal, workers: talkers + 1, cacheDir }),
    probe: probeSpeech,
    clock,
    log,
  })
  const recognition = new EngineSupervisor({
    name: 'recognition',
    create: (signal) => made.recognition.create({ signal, workers: recordings, cacheDir }),
    probe: (engine, signal) => engine.recognize(silence(), { signal }),
    clock,
    log,
  })
  const diarization = new EngineSupervisor({
    name: 'diarization',
    create: (signal) => made.diarization.create({ signal, workers: recordings, cacheDir }),
    probe: (engine, signal) => engine.diarize(silence(), { signal }),
    clock,
    log,
  })
  const analyser = made.createAnalyser({ limits: SAMPLE_LIMITS, workers: listeners + 1 })
  const recognizing = recognition.start()
  await Promise.all([speech.start(), diarization.start()])
  return {
    speech: supervisedSpeech(speech, { name: made.speech.name, voices: made.speech.voices }),
    recognition: supervisedRecognition(recognition, {
      name: made.recognition.name,
      language: made.recognition.language,
    }),
    diarization: supervisedDiarization(diarization, { name: made.diarization.name }),
    analyser,
    designer: made.designer,
    engines: { speech, recognition, diarization },
    semaphores: {
      processing: new FairSemaphore(processors + 1, { perTenant: processors }),
      speech: new FairSemaphore(talkers + 1, { perTenant: talkers }),
      recognition: new FairSemaphore(recordings, { perTenant: listeners }),
      diarization: new FairSemaphore(recordings),
      fetching: new FairSemaphore(FETCHES, { perTenant: FETCHES_PER_TENANT }),
      analysis: new FairSemaphore(listeners + 1, { perTenant: listeners }),
    },
    engineMemory: () => made.memory(),
    measureEngineShare: () => made.measureShare(),
    async close() {
      await Promise.all([speech.close(), recognition.close(), diarization.close(), analyser.close(), recognizing])
      await made.close()
    },
  }
}
