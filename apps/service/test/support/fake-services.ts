import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RunningTasks, StalledWork } from '../../src/domain/running-tasks.ts'
import { ClockOffset } from '../../src/domain/clock.ts'
import { CallTimes, WorkTotals } from '../../src/domain/usage.ts'
import { createResultLinks } from '../../src/domain/result-links.ts'
import { createWebhookPolicy } from '../../src/domain/url-policies.ts'
import { analyseSample, bundledEngines } from '@svc-audio/engines'
import { createFolderObjectStore } from '../../src/drivers/folder/object-store.ts'
import { createScratchSpace } from '../../src/drivers/folder/folders.ts'
import { ALONE, createDispatch } from '../../src/ports/processes.ts'
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
  readonly engines: Record<EngineName, { up: boolean; retryAfterSeconds: number }>
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
    codec: {
      encode: (chunks) => chunks,
      decode: (path) => one(async () => (await import('node:fs/promises')).readFile(path)),
      close: async () => undefined,
    },
    fetcher: {
      check: () => undefined,
      fetch: async ({ url, path }, signal) => writeFile(path, await services.fetch(url, signal)),
    },
    analyser: { analyse: (sample) => analyseSample(sample, SAMPLE_LIMITS), close: async () => undefined },
    designer: bundledEngines().designer,
    engines: { speech: working(), recognition: working(), diarization: working() },
    namedEngines: [],
    onEngineUse: () => undefined,
    semaphores: semaphoresOf(2),
    keys: createKeyStore(shareSqlite(database), new Map()),
    tasks: createTaskStore(database, { now }),
    voices: createVoiceStore(shareSqlite(database)),
    backlog: createBacklog({ tasks: createTaskStore(database, { now }), clock, mostSeconds: Infinity }),
    running: new RunningTasks(),
    stalled: new StalledWork(clock),
    // Tests let the time pass faster than their files are read.
    taskPatience: 86_400_000,
    responses: createResponseStore(shareSqlite(database, now)),
    audit: createAuditStore(database),
    keysInFlight: new InFlightKeys(),
    dispatch: createDispatch(),
    leaderLock: ALONE,
    shared: false,
    outbox: createWebhookOutbox(database, now),
    sender: { post: (message, signal) => services.answer(message, signal) },
    secrets: createWebhookSecrets(createSecretStore(database)),
    webhooks: createWebhookPolicy(),
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
    storeMetrics: createStoreMetricsReader(database, now),
    usage,
    usageCounter: new UsageCounter(usage, clock, 'test'),
    totals: new WorkTotals(),
    reserve: wholeReserve,
    freeBytes: async () => 1_000_000,
    engineMemory: () => ({}),
    codecInUse: () => ({ launcher: 'none' }),
    measureEngineShare: () => () => 1,
    commitTimes: new CallTimes(),
    storageHealth: { check: async () => 'ok' },
    maxUploadBytes: 1_000_000,
    openTasksPerTenant: Infinity,
    files: createFileStore(shareSqlite(database, now)),
    objects: createTenantObjects({
      area: 'uploads',
      store: await createFolderObjectStore(join(dataDir, 'files')),
      ...quota,
    }),
    deleteAfterSuccess: false,
    links: createResultLinks({ secrets: () => ['s'], publicUrl: () => 'http://here', now }),
    scratch: createScratchSpace(uploadFolder),
    uploads,
    uploadFolder,
    maxInputCharacters: 1000,
    maxOutputSeconds: Infinity,
    clock,
    dataDir,
    stop,
    stopping: stop.signal,
    logged,
    log: { error: log, warn: log, info: () => {} },
    tracer: createTracer(),
    outage: new Outage(),
    probeStores: async () => undefined,
    storeTime: async () => clock.now(),
    clockOffset: new ClockOffset(),
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
export function semaphoresOf(size: number): Services['semaphores'] {
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
export async function namesIn(store: Services['results']): Promise<string[]> {
  const names: string[] = []
  for await (const { name } of store.list()) names.push(name)
  return names
}

/** Accepts a speech task, and claims it. */
export async function claimedSpeech(services: Services, more: { readonly webhookUrl?: string } = {}) {
  const request = { text: 'Hello', pauses: false, voiceId: 'v', format: 'wav' }
  await services.tasks.accept({ id: 'task_1', tenant: 't', kind: 'audio.speech', model: 'm', request, ...more })
  return claimAgain(services)
}

/** Claims the next due call. */
export async function claimAgain(services: Services) {
  const claim = await services.tasks.claim(30_000)
  if (claim === undefined) throw new Error('Nothing is due')
  return claim
}
