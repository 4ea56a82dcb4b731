import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RunningTasks, StalledWork } from '../../src/domain/running-tasks.ts'
import { ClockOffset } from '../../src/domain/clock.ts'
import { CallTimes, WorkTotals } from '../../src/domain/usage.ts'
import { createResultLinks } from '../../src/domain/result-links.ts'
import { createWebhookPolicy } from '../../src/domain/url-policies.ts'
import { DETECTOR_FRAME_SAMPLES, type LiveDetectors } from '@svc-audio/engine-ports'
import { analyseSample, bundledEngines } from '@svc-audio/engines'
import { createFolderObjectStore } from '../../src/drivers/folder/object-store.ts'
import { createScratchSpace } from '../../src/drivers/folder/folders.ts'
import { createDispatch, createOwnLock } from '../../src/ports/processes.ts'
import { createResponseStore } from '../../src/drivers/sql/response-store.ts'
import { createAuditStore } from '../../src/drivers/sql/audit-store.ts'
import { openDatabase } from '../../src/drivers/sqlite/database.ts'
import { createFileStore } from '../../src/drivers/sql/file-store.ts'
import { createKeyStore } from '../../src/drivers/sql/key-store.ts'
import { createSecretStore, createWebhookSecrets } from '../../src/drivers/sql/secret-store.ts'
import { shareSqlite } from '../../src/drivers/sqlite/service-database.ts'
import { createStoreMetricsReader } from '../../src/drivers/sqlite/stores.ts'
import { createStorageLedger } from '../../src/drivers/sqlite/storage-ledger.ts'
import { createTaskStore } from '../../src/drivers/sqlite/task-store.ts'
import { createUsageStore } from '../../src/drivers/sql/usage-store.ts'
import { createVoiceStore } from '../../src/drivers/sql/voice-store.ts'
import { createTracer } from '../../src/drivers/opentelemetry/tracer.ts'
import { createWebhookOutbox } from '../../src/drivers/sqlite/webhook-outbox.ts'
import type { EngineName } from '../../src/ports/engines.ts'
import type { StorageReserve } from '../../src/ports/disk.ts'
import type { WebhookMessage } from '../../src/ports/webhook-outbox.ts'
import type { Services } from '../../src/services.ts'
import { Outage } from '../../src/domain/outage.ts'
import { UsageCounter } from '../../src/use-cases/usage.ts'
import { UploadsInFlight } from '../../src/domain/uploads-in-flight.ts'
import { FairSemaphore } from '../../src/domain/fair-semaphore.ts'
import { InFlightKeys } from '../../src/use-cases/idempotency.ts'
import { createBacklog } from '../../src/use-cases/tasks/backlog.ts'
import { createTenantObjects } from '../../src/use-cases/objects.ts'
import { SAMPLE_LIMITS } from '../../src/use-cases/voices.ts'
import { ManualClock } from '@svc-audio/kit/engine-fixtures/manual-clock.ts'

/** Services with real stores in a separate folder. The test controls engines, sender and time. */
export interface FakeServices extends Services {
  readonly clock: ManualClock
  readonly dataDir: string
  readonly stop: AbortController
  readonly engines: Services['engines'] & {
    readonly states: Record<EngineName, { up: boolean; retryAfterSeconds: number }>
  }
  /** The engine's text instead of the request's. Throw to fail, wait to be slow. */
  speakWith: (text: string, signal: AbortSignal) => Promise<Uint8Array>
  /** The recognizer's result. Throw to fail. */
  hear: (pcm: Uint8Array) => Promise<string>
  /** The fetched content of a URL. Throw to fail. */
  fetch: (url: string, signal: AbortSignal) => Promise<Uint8Array>
  /** The response to a webhook. */
  answer: (message: WebhookMessage, signal: AbortSignal) => Promise<number>
  /** Log lines. */
  readonly logged: string[]
  /**
   * Fills a tenant's storage quota.
   * @param left Remaining bytes. @default 0
   */
  fillStorage(tenant: string, left?: number): Promise<void>
  close(): Promise<void>
}

/** Parts in place of parts of services. */
export type Changes = { readonly [Group in keyof Services]?: Partial<Services[Group]> }

/** The services with parts in place of theirs. The other groups stay the same: a test may still change them. */
export function changed(services: Services, { engines, stores, objects, settings, runtime }: Changes): Services {
  return {
    engines: engines === undefined ? services.engines : { ...services.engines, ...engines },
    stores: stores === undefined ? services.stores : { ...services.stores, ...stores },
    objects: objects === undefined ? services.objects : { ...services.objects, ...objects },
    settings: settings === undefined ? services.settings : { ...services.settings, ...settings },
    runtime: runtime === undefined ? services.runtime : { ...services.runtime, ...runtime },
  }
}

/** Finds speech where a frame is not silent. */
const loudDetectors: LiveDetectors = {
  open() {
    let rest = new Int16Array(0)
    return {
      async judge(samples) {
        const sound = new Int16Array(rest.length + samples.length)
        sound.set(rest)
        sound.set(samples, rest.length)
        const frames = Math.floor(sound.length / DETECTOR_FRAME_SAMPLES)
        rest = sound.slice(frames * DETECTOR_FRAME_SAMPLES)
        return Array.from({ length: frames }, (_, at) => ((sound[at * DETECTOR_FRAME_SAMPLES] ?? 0) === 0 ? 0 : 1))
      },
      close: () => undefined,
    }
  },
  close: async () => undefined,
}

/** Creates services in working order. */
export async function createFakeServices(folder?: string): Promise<FakeServices> {
  const dataDir = folder ?? (await mkdtemp(join(tmpdir(), 'svc-audio-test-')))
  const database = openDatabase(join(dataDir, 'service.sqlite'))
  const clock = new ManualClock()
  const now = () => clock.now()
  const stop = new AbortController()
  const logged: string[] = []
  const log = (details: object, message: string) => void logged.push(`${message} ${JSON.stringify(details)}`)
  const uploadFolder = join(dataDir, 'uploads')
  await mkdir(uploadFolder)
  const traits = { timbre: 'male', pitchHz: 120, rangeSemitones: 1, syllablesPerSecond: 5 } as const
  const pcm = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
  const none = new AbortController().signal
  const ledger = createStorageLedger(database, now)
  const uploads = new UploadsInFlight(1e9)
  const usage = createUsageStore(database.$pickTables<'usage' | 'usage_batches'>())
  const quota = { ledger, max: 1e9, uploads, reserve: wholeReserve }
  const services: FakeServices = {
    speakWith: async (text) => Buffer.from(text),
    hear: async (heard) => Buffer.from(heard).toString(),
    fetch: async (url) => Buffer.from(url),
    answer: async () => 204,
    engines: {
      speech: {
        voices: [{ id: 'v', name: 'V', language: 'en', traits }],
        synthesize: async ({ text }, { signal = none } = {}) => ({
          format: pcm,
          chunks: one(() => services.speakWith(text, signal)),
        }),
      },
      recognition: {
        async recognize(chunks) {
          const parts: Uint8Array[] = []
          for await (const chunk of chunks) parts.push(chunk)
          return { text: await services.hear(Buffer.concat(parts)), words: [], durationSeconds: 1 }
        },
      },
      diarization: {
        async diarize(chunks) {
          for await (const chunk of chunks) if (chunk.length === 0) throw new Error('An empty chunk')
          return { segments: [], durationSeconds: 1 }
        },
      },
      analyser: { analyse: (sample) => analyseSample(sample, SAMPLE_LIMITS), close: async () => undefined },
      designer: bundledEngines().designer,
      detectors: loudDetectors,
      addHooks: () => undefined,
      states: { speech: working(), recognition: working(), diarization: working() },
      named: [],
      semaphores: semaphoresOf(2),
      codec: {
        encode: (chunks) => chunks,
        decode: (path) => one(async () => (await import('node:fs/promises')).readFile(path)),
        close: async () => undefined,
      },
      codecInUse: () => ({ launcher: 'none' }),
      memory: () => ({}),
      measureShare: () => () => 1,
    },
    stores: {
      keys: createKeyStore(shareSqlite(database), new Map()),
      tasks: createTaskStore(database, { now }),
      backlog: createBacklog({ tasks: createTaskStore(database, { now }), clock, mostSeconds: Infinity }),
      voices: createVoiceStore(shareSqlite(database)),
      responses: createResponseStore(shareSqlite(database, now)),
      files: createFileStore(shareSqlite(database, now)),
      audit: createAuditStore(database),
      usage,
      outbox: createWebhookOutbox(database, now),
      secrets: createWebhookSecrets(createSecretStore(database)),
      metrics: createStoreMetricsReader(database, now),
      keysInFlight: new InFlightKeys(),
      dispatch: createDispatch(),
      leaderLock: createOwnLock(now),
      shared: false,
      probe: async () => undefined,
      time: async () => clock.now(),
      commitTimes: new CallTimes(),
    },
    objects: {
      results: createTenantObjects({
        area: 'results',
        store: await createFolderObjectStore(join(dataDir, 'results')),
        ...quota,
      }),
      inputs: createTenantObjects({
        area: 'inputs',
        store: await createFolderObjectStore(join(dataDir, 'inputs')),
        ...quota,
      }),
      uploads: createTenantObjects({
        area: 'uploads',
        store: await createFolderObjectStore(join(dataDir, 'files')),
        ...quota,
      }),
      links: createResultLinks({ secrets: () => ['s'], publicUrl: () => 'http://here', now }),
      reserve: wholeReserve,
      health: { check: async () => 'ok' },
      lost: [],
      freeBytes: async () => 1_000_000,
      scratch: createScratchSpace(uploadFolder),
      inFlight: uploads,
      uploadFolder,
    },
    settings: {
      maxInputCharacters: 1000,
      maxOutputSeconds: Infinity,
      maxUploadBytes: 1_000_000,
      openTasksPerTenant: Infinity,
      // Tests let the time pass faster than their files are read.
      taskPatience: 86_400_000,
      deleteAfterSuccess: false,
      webhooks: createWebhookPolicy(),
      openai: { readsMarkdown: true, aliases: new Map(), voiceList: 'objects' },
    },
    runtime: {
      clock,
      clockOffset: new ClockOffset(),
      log: { error: log, warn: log, info: () => {} },
      tracer: createTracer(),
      stopping: stop.signal,
      running: new RunningTasks(),
      stalled: new StalledWork(clock),
      outage: new Outage(),
      totals: new WorkTotals(),
      usageCounter: new UsageCounter(usage, clock, 'test'),
      fetcher: {
        check: () => undefined,
        fetch: async ({ url, path }, signal) => writeFile(path, await services.fetch(url, signal)),
      },
      sender: { post: (message, signal) => services.answer(message, signal) },
    },
    dataDir,
    stop,
    logged,
    clock,
    async fillStorage(tenant, left = 0) {
      await ledger.enter({ area: 'uploads', name: `all of ${tenant}`, tenant, bytes: quota.max - left }, undefined)
    },
    async close() {
      await database.destroy()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
  return services
}

/** A reserve on a disk with room. */
export const wholeReserve: StorageReserve = {
  whole: true,
  requireWhole: async () => undefined,
  use: (work) => work(),
  refill: async () => undefined,
}

const working = () => ({ up: true, retryAfterSeconds: 4 })

async function* one(make: () => Promise<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  yield await make()
}

/** This many slots for every engine. */
export function semaphoresOf(size: number): Services['engines']['semaphores'] {
  const [speech, recognition] = [new FairSemaphore(size), new FairSemaphore(size)]
  return {
    speech,
    recognition,
    diarization: new FairSemaphore(size),
    analysis: new FairSemaphore(size),
    encoding: new FairSemaphore(size),
    fetching: new FairSemaphore(size),
    processing: new FairSemaphore(10 * size),
  }
}

/** The names in an object store. */
export async function namesIn(store: Services['objects']['results']): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of store.list()) names.push(name)
  return names
}

/** Accepts a speech task, and claims it. */
export async function claimedSpeech(services: Services, more: { readonly webhookUrl?: string } = {}) {
  const request = { text: 'Hello', pauses: false, voiceId: 'v', format: 'wav' }
  await services.stores.tasks.accept({ id: 'task_1', tenant: 't', kind: 'audio.speech', model: 'm', request, ...more })
  return claimAgain(services)
}

/** Claims the next due call. */
export async function claimAgain(services: Services) {
  const claim = await services.stores.tasks.claim(30_000)
  if (claim === undefined) throw new Error('Nothing is due')
  return claim
}
