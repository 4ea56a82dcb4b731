import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { EngineDrivers } from '@svc-audio/engine-ports'
import type { Priorities } from '@svc-audio/engine-ports/driver'
import { bundledEngines, chosenRuntime, hasJoe, type RuntimeChoice } from '@svc-audio/engines'
import type { Clock } from './domain/clock.ts'
import { FairSemaphore, TenantsAtWork } from './domain/fair-semaphore.ts'
import { createCodec } from './drivers/codec/create-codec.ts'
import { writeCodecNote } from './drivers/folder/folders.ts'
import { type FileEngines, NO_FILE } from './engines-file/engines.ts'
import type { EngineName } from './ports/engines.ts'
import type { Tracer } from './ports/tracer.ts'
import type { ServiceOptions } from './service-options.ts'
import type { Log, Services } from './services.ts'
import { EnginePool } from './use-cases/engines/pool.ts'
import { SAMPLE_LIMITS } from './use-cases/voices.ts'

/** Maximum files that are fetched at once. They mostly wait for the network. */
const FETCHES = 64

/** Maximum files per tenant among them. Slow servers of one tenant do not block another. */
const FETCHES_PER_TENANT = 8

/** The engines of a service. */
export interface OpenEngines {
  readonly engines: Services['engines']
  readonly close: () => Promise<void>
}

/** Options of {@link openEngines}. */
export interface OpenEnginesOptions {
  readonly dataDir: string
  readonly clock: Clock
  readonly log: Log
  /** Engines in place of the bundled ones. */
  readonly drivers?: Partial<EngineDrivers> | undefined
  /** Engines of the operator's file, before the bundled ones. @default none */
  readonly file?: FileEngines | undefined
  readonly tracer: Tracer
  readonly priorities: Priorities
  /** What runs the graphs of the bundled engines. @default 'auto' */
  readonly onnxRuntime?: RuntimeChoice | undefined
  readonly unsentBytesPerTenant: number
}

/** Reads the file of engines, if there is one. @throws EnginesFileError */
export async function enginesOf({
  enginesFile,
  dataDir,
}: Pick<ServiceOptions, 'enginesFile' | 'dataDir'>): Promise<FileEngines | undefined> {
  if (enginesFile === undefined) return undefined
  const { readEnginesFile } = await import('./engines-file/read.ts')
  return readEnginesFile(enginesFile, { dataDir })
}

/**
 * Creates the engines and the codec. Resolves after the first probe of bundled speech and diarization. The recognizer
 * takes seconds to load, and the first recordings wait for it. Engines of a file are not waited for: a server may load
 * its model for minutes. An engine that fails is retried until it works.
 */
export async function openEngines(options: OpenEnginesOptions): Promise<OpenEngines> {
  const tenants = new TenantsAtWork()
  // Asked while an engine works.
  const work = { priorities: options.priorities, othersWait: tenants.areSeveral }
  const [codec, pool] = await Promise.all([openCodec({ ...options, ...work }), openPool({ ...options, ...work })])
  const semaphores = { ...semaphoresFor(options.file), encoding: codec.encoders }
  tenants.watch(semaphores.speech, semaphores.processing, semaphores.recognition, semaphores.encoding)
  return {
    engines: { ...pool.engines, semaphores, codec, codecInUse: () => codec.describe },
    close: async () => void (await Promise.all([codec.close(), pool.close()])),
  }
}

/** How drivers share a machine. */
interface Work {
  readonly priorities: Priorities
  readonly othersWait: () => boolean
}

async function openCodec({
  dataDir,
  log,
  unsentBytesPerTenant,
  priorities,
  othersWait,
}: OpenEnginesOptions & Work): ReturnType<typeof createCodec> {
  const { encoders, allEncoders, recordings, recognitionThreads } = capacityOf()
  const codec = await createCodec({
    unsentBytesPerTenant,
    priorities,
    othersWait,
    maxProcesses: encoders,
    maxEncoders: allEncoders,
    // The places of recordings and samples bound them.
    maxDecoders: recordings + recognitionThreads + 1,
    onChange: (described) => {
      log.info({ codec: described }, 'a later ffmpeg is in use')
      void writeCodecNote(dataDir, described)
    },
  })
  log.info({ codec: codec.describe }, 'the codec is ready')
  await writeCodecNote(dataDir, codec.describe)
  return codec
}

/** The engines behind the ports, without what is before them. */
interface OpenPool {
  readonly engines: Omit<Services['engines'], 'codec' | 'codecInUse' | 'semaphores'>
  readonly close: () => Promise<void>
}

async function openPool({
  dataDir,
  clock,
  log,
  drivers,
  file = NO_FILE,
  tracer,
  priorities,
  onnxRuntime: runtime,
  othersWait,
}: OpenEnginesOptions & Work): Promise<OpenPool> {
  const { speechThreads, recognitionThreads, recordings } = capacityOf()
  const made: EngineDrivers = {
    ...bundledEngines({ priorities, othersWait, runtime }),
    ...drivers,
  }
  if (drivers?.speech === undefined && file.bundled.has('speech') && !hasJoe()) {
    log.info({}, 'the voice joe is not installed (@svc-audio/joe-en and @svc-audio/onnx-runtime): flite speaks')
  }
  if (file.bundled.size > 0) {
    log.info({ onnxRuntime: chosenRuntime(runtime) }, 'the runtime of the bundled engines is chosen')
  }
  const bundled = {
    name: 'bundled',
    isBundled: true,
    parts: Object.fromEntries([...file.bundled].map((port) => [port, made[port]])),
    workers: { speech: speechThreads + 1, recognition: recordings, diarization: recordings },
  }
  const ofFile = file.engines.map(({ atOnce, ...entry }) => ({
    ...entry,
    workers: { speech: atOnce, recognition: atOnce, diarization: atOnce },
  }))
  const pool = new EnginePool([...ofFile, bundled], { clock, log, tracer, cacheDir: join(dataDir, 'cache') })
  const analyser = made.createAnalyser({ limits: SAMPLE_LIMITS, workers: recognitionThreads + 1 })
  const detectors = made.createDetectors()
  await pool.start()
  return {
    engines: {
      speech: pool.speech,
      recognition: pool.recognition,
      diarization: pool.diarization,
      analyser,
      designer: made.designer,
      detectors,
      states: pool.states,
      named: pool.named,
      addHooks: (hooks) => pool.addHooks(hooks),
      memory: () => ({
        ...made.memory(),
        ...Object.fromEntries(
          file.engines.flatMap(({ name, parts }) => (parts.memory === undefined ? [] : [[name, parts.memory()]])),
        ),
      }),
      measureShare: () => made.measureShare(),
    },
    async close() {
      await Promise.all([pool.close(), analyser.close(), detectors.close()])
      await Promise.all([...file.engines.map(({ parts }) => parts.close?.()), made.close()])
    },
  }
}

/** Places for more work of each kind than a tenant can use: another tenant starts at once. */
function semaphoresFor({ engines }: FileEngines = NO_FILE): Omit<Services['engines']['semaphores'], 'encoding'> {
  const { processors, speechThreads, recognitionThreads, recordings } = capacityOf()
  const calls = (port: EngineName): number =>
    engines.reduce((sum, { parts, atOnce }) => sum + (parts[port] === undefined ? 0 : atOnce), 0)
  const [said, heard, told] = [calls('speech'), calls('recognition'), calls('diarization')]
  return {
    // A call to an engine of the file waits for its server and needs no processor of this machine.
    processing: new FairSemaphore(processors + 1 + said + heard, { perTenant: processors + said + heard }),
    speech: new FairSemaphore(speechThreads + 1 + said, { perTenant: speechThreads + said }),
    recognition: new FairSemaphore(recordings + heard, { perTenant: recognitionThreads + heard }),
    diarization: new FairSemaphore(recordings + told, { perTenant: recognitionThreads + told }),
    fetching: new FairSemaphore(FETCHES, { perTenant: FETCHES_PER_TENANT }),
    analysis: new FairSemaphore(recognitionThreads + 1, { perTenant: recognitionThreads }),
  }
}

/** How much runs at once on a machine. */
interface Capacity {
  /** Pieces of work of one tenant at once, over all kinds. */
  readonly processors: number
  /** Speech threads, and encoders, of one tenant. */
  readonly speechThreads: number
  readonly encoders: number
  /** Recordings of one tenant that are transcribed at once. */
  readonly recognitionThreads: number
  /**
   * Open recordings of all tenants. A recording between two pieces needs no processor, but 100 MB of memory for its
   * recognizer and up to that much for its decoder.
   */
  readonly recordings: number
  /** Open encoders of all tenants. */
  readonly allEncoders: number
  /** Tasks of one tenant running, of each kind of engine. */
  readonly tasks: number
}

/** Tenants, beyond the first, whose long work never makes them wait for each other. */
const OTHER_TENANTS = 3

/** Returns the capacity of this machine. Of each resource there is more than one tenant can hold. */
export function capacityOf(processors: number = availableParallelism()): Capacity {
  const recognitionThreads = processors >= 4 ? 2 : 1
  return {
    processors: Math.max(2, processors),
    speechThreads: Math.min(2, processors),
    encoders: processors,
    recognitionThreads,
    recordings: recognitionThreads + OTHER_TENANTS,
    allEncoders: processors + OTHER_TENANTS,
    tasks: Math.max(2, processors),
  }
}
