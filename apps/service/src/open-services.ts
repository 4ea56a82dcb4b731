import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { capacityOf } from './capacity.ts'
import { clusterOf } from './cluster-options.ts'
import { createAudioUrlPolicy } from './domain/audio-url-policy.ts'
import { systemClock } from './domain/clock.ts'
import { RunningTasks } from './domain/running-tasks.ts'
import { CommitTimes } from './domain/commit-times.ts'
import { createResultLinks } from './domain/result-links.ts'
import { createSecretCipher, type SecretCipher } from './domain/secret-cipher.ts'
import { UploadsInFlight } from './domain/uploads-in-flight.ts'
import { Outage } from './domain/outage.ts'
import { WorkTotals } from './domain/usage.ts'
import { createWebhookPolicy } from './domain/webhook-policy.ts'
import { createCodec } from './drivers/codec/create-codec.ts'
import { freeBytes, makeFolder, makePrivate } from './drivers/folder/folders.ts'
import { createScratchSpace } from './drivers/folder/scratch-space.ts'
import { readSecretKey } from './drivers/folder/secret-key.ts'
import { createStorageHealth } from './drivers/folder/storage-health.ts'
import { openStorageReserve } from './drivers/folder/storage-reserve.ts'
import { createAudioFetcher } from './drivers/http/audio-fetcher.ts'
import { createWebhookSender } from './drivers/http/webhook-sender.ts'
import { lockFolder } from './drivers/sqlite/folder-lock.ts'
import { createWebhookSecrets, type SecretStore } from './drivers/sqlite/key-store.ts'
import { createTracer } from './drivers/opentelemetry/tracer.ts'
import { openMachine, type Storage } from './open-storage.ts'
import { openEngines } from './open-engines.ts'
import { DEFAULT_OPTIONS, type ServiceOptions } from './service-options.ts'
import type { ScratchSpace } from './ports/scratch-space.ts'
import type { StorageArea } from './ports/storage-ledger.ts'
import type { StorageReserve } from './ports/storage-reserve.ts'
import type { TenantObjects } from './ports/tenant-objects.ts'
import type { Log, Services } from './services.ts'
import { type Refreshed, refreshed } from './use-cases/refreshed.ts'
import { countedLedger } from './use-cases/storage/counted-ledger.ts'
import { StalledWork } from './domain/stalled-work.ts'
import { countedTasks } from './use-cases/usage/counted-tasks.ts'
import { UsageCounter } from './use-cases/usage/usage-counter.ts'
import { createBacklog } from './use-cases/tasks/backlog.ts'
import { createTenantObjects, type TenantObjectsParts } from './use-cases/storage/tenant-objects.ts'
import { tracedRecognition, tracedSpeech } from './use-cases/engines/traced-engines.ts'
import { speakOwnVoices } from './use-cases/voices/voices-engine.ts'

/** Parts that only the running service can supply. */
export interface ServiceSurroundings {
  readonly log: Log
  readonly stopping: AbortSignal
  /** Public address of the service. Call it only while the service listens. */
  readonly publicUrl: () => string
  /** Lifetime of a link to a result, in seconds. */
  readonly linkLifetimeSeconds: number
  /** Registers a cleanup for the end of the service. The last cleanup runs first. */
  readonly onEnd: (cleanup: () => Promise<void> | void) => void
}

/** Name of the secret that signs links to results. */
export const LINK_SECRET = 'result-links'

/** Time until a rotated secret of links signs, in milliseconds. */
const LINK_SECRET_INTERVAL_MS = 30_000

/** Seals what an earlier version stored in clear, and follows the secrets of links through rotations. */
async function sealAndFollow(secrets: SecretStore): Promise<Refreshed<readonly string[]>> {
  await secrets.sealAll()
  return refreshed(() => secrets.valid(LINK_SECRET), systemClock, LINK_SECRET_INTERVAL_MS)
}

/** Makes the cipher of a data folder's secrets, from the given key or the folder's. */
export async function secretCipherOf(dataDir: string, secretKey?: string): Promise<SecretCipher> {
  return createSecretCipher(secretKey ?? (await readSecretKey(dataDir)))
}

/**
 * Opens all drivers, of one machine or of a cluster. The drivers of a cluster are loaded only for one.
 * @throws FolderInUseError when another service serves the folder; RangeError for an invalid allow-list or a missing
 * option of a cluster; what the storage throws
 */
export async function openServices(options: ServiceOptions, surroundings: ServiceSurroundings): Promise<Services> {
  const settings = { ...DEFAULT_OPTIONS, ...options }
  const { dataDir, deleteAfterSuccess, maxInputCharacters, maxOutputSeconds, maxUploadBytes } = settings
  const { onEnd, stopping, log } = surroundings
  const webhooks = createWebhookPolicy(options.webhookAllow)
  const policy = createAudioUrlPolicy(options.audioUrlAllow)
  const fetcher = createAudioFetcher({ policy, maxBytes: maxUploadBytes })
  const { uploadFolder, reserve } = await openFolder(dataDir, onEnd)
  const { encoders, allEncoders, recordings, listeners } = capacityOf()
  const working = Promise.all([
    createCodec({
      unsentBytesPerTenant: settings.unsentBytesPerTenant,
      maxProcesses: encoders,
      maxEncoders: allEncoders,
      // The places of recordings and samples bound them.
      maxDecoders: recordings + listeners + 1,
    }),
    openEngines(dataDir, systemClock, log),
  ])
  onEnd(() => closeOpened(working))
  const scratch = createScratchSpace(uploadFolder)
  const storage = await openStorage(options, { scratch, log, reserve })
  const running = new RunningTasks()
  onEnd(() => storage.close())
  onEnd(() => running.ended())
  const { ledger, secrets, voices, ...stores } = storage.stores
  const [codec, { close: _close, ...engines }] = await working
  const linkSecrets = await reserve.use(() => sealAndFollow(secrets))
  onEnd(() => linkSecrets.stop())
  const most = settings.storageBytesPerTenant
  const uploads = new UploadsInFlight(most)
  // Other processes of a cluster change its ledger too.
  const quota = { ledger: storage.shared ? ledger : countedLedger(ledger), most, uploads, reserve }
  const { publicUrl, linkLifetimeSeconds: lifetimeSeconds } = surroundings
  const tracer = createTracer()
  return {
    ...stores,
    ...countUsage(stores, onEnd),
    ...engines,
    semaphores: { ...engines.semaphores, encoding: codec.encoders },
    speech: speakOwnVoices(tracedSpeech(engines.speech, tracer), voices),
    recognition: tracedRecognition(engines.recognition, tracer),
    voices,
    codec,
    fetcher,
    running,
    stalled: new StalledWork(systemClock),
    taskPatience: settings.taskStallTimeout,
    ...sharedParts(storage, options),
    sender: createWebhookSender({ policy: webhooks }),
    secrets: createWebhookSecrets(secrets),
    webhooks,
    ...(await openAreas(storage, quota)),
    reserve,
    commitTimes: storage.commitTimes ?? new CommitTimes(),
    storageHealth: createStorageHealth(dataDir),
    freeBytes: () => freeBytes(dataDir),
    links: createResultLinks({ secrets: () => linkSecrets.value, publicUrl, lifetimeSeconds }),
    scratch,
    uploads,
    uploadFolder,
    deleteAfterSuccess,
    maxInputCharacters,
    maxOutputSeconds,
    maxUploadBytes,
    openTasksPerTenant: settings.openTasksPerTenant,
    clock: systemClock,
    log,
    tracer,
    stopping,
  }
}

/** Counts the work of this process, and the calls without a task. Remembers outages. */
function countUsage(
  { tasks, usage }: Pick<Storage['stores'], 'tasks' | 'usage'>,
  onEnd: ServiceSurroundings['onEnd'],
): Pick<Services, 'tasks' | 'usageCounter' | 'totals' | 'outage'> {
  const totals = new WorkTotals()
  const usageCounter = new UsageCounter(usage, systemClock, randomUUID())
  onEnd(() => usageCounter.close())
  return { tasks: countedTasks(tasks, totals), usageCounter, totals, outage: new Outage() }
}

/** What the processes of a cluster share, and a single one has alone. */
function sharedParts(
  { dispatch, keysInFlight, exclusive, shared, requestCounter, stores }: Storage,
  { maxQueueSeconds: mostSeconds = Infinity }: ServiceOptions,
): Pick<Services, 'dispatch' | 'keysInFlight' | 'exclusive' | 'shared' | 'requestCounter' | 'backlog'> {
  const backlog = createBacklog({ tasks: stores.tasks, clock: systemClock, mostSeconds })
  const counter = requestCounter === undefined ? {} : { requestCounter }
  return { dispatch, keysInFlight, exclusive, shared, backlog, ...counter }
}

/** Machines of a cluster that one tenant can fill by default. */
const TENANT_MACHINES = 8

/** Makes the data folder, private to this user, and locks it. @throws FolderInUseError */
async function openFolder(
  dataDir: string,
  onEnd: ServiceSurroundings['onEnd'],
): Promise<{ uploadFolder: string; reserve: StorageReserve }> {
  const uploadFolder = join(dataDir, 'uploads')
  await makeFolder(uploadFolder)
  await makePrivate(dataDir)
  const reserve = await openStorageReserve(dataDir)
  onEnd(await reserve.use(async () => lockFolder(dataDir)))
  await reserve.refill()
  return { uploadFolder, reserve }
}

/** Closes resources that have opened, or will. */
async function closeOpened(opening: Promise<readonly { close(): Promise<void> }[]>): Promise<void> {
  const [opened] = await Promise.allSettled([opening])
  if (opened.status === 'fulfilled') await Promise.all(opened.value.map((resource) => resource.close()))
}

async function openStorage(
  options: ServiceOptions,
  { scratch, log, reserve }: { readonly scratch: ScratchSpace; readonly log: Log; readonly reserve: StorageReserve },
): Promise<Storage> {
  const cluster = clusterOf(options)
  const { tasks } = capacityOf()
  if (cluster === undefined) {
    const secretKey = options.secretKey ?? (await reserve.use(() => readSecretKey(options.dataDir)))
    const { tasksAtOncePerTenant = tasks } = options
    return reserve.use(() => openMachine({ ...options, tasksAtOncePerTenant, secretKey }))
  }
  const { openCluster } = await import('./open-cluster.ts')
  const { apiKeys, tasksAtOncePerTenant = TENANT_MACHINES * tasks, secretKey } = options
  return openCluster(cluster, { apiKeys, tasksAtOncePerTenant, secretKey, scratch, log })
}

/** Opens the three areas of objects. */
async function openAreas(
  storage: Storage,
  quota: Pick<TenantObjectsParts, 'ledger' | 'most' | 'uploads' | 'reserve'>,
): Promise<Pick<Services, 'results' | 'inputs' | 'objects'>> {
  const area = async (name: StorageArea): Promise<TenantObjects> =>
    createTenantObjects({ area: name, store: await storage.openObjects(name), ...quota })
  return { results: await area('results'), inputs: await area('inputs'), objects: await area('uploads') }
}
