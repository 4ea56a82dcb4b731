import { randomUUID } from 'node:crypto'
import { basename, join } from 'node:path'
import { checkPriorities, type Priorities } from '@svc-audio/engine-ports/driver'
import { ClockOffset, systemClock } from './domain/clock.ts'
import { TenantsAtWork } from './domain/fair-semaphore.ts'
import { Outage } from './domain/outage.ts'
import { createResultLinks } from './domain/result-links.ts'
import { RunningTasks, StalledWork } from './domain/running-tasks.ts'
import { createSecretCipher, type SecretCipher } from './domain/secret-cipher.ts'
import { UploadsInFlight } from './domain/uploads-in-flight.ts'
import { createAudioUrlPolicy, createWebhookPolicy } from './domain/url-policies.ts'
import { CallTimes, WorkTotals } from './domain/usage.ts'
import { createCodec } from './drivers/codec/create-codec.ts'
import {
  createScratchSpace,
  freeBytes,
  makeFolder,
  makePrivate,
  readSecretKey,
  writeCodecNote,
} from './drivers/folder/folders.ts'
import { createStorageHealth } from './drivers/folder/storage-health.ts'
import { openStorageReserve } from './drivers/folder/storage-reserve.ts'
import { createAudioFetcher } from './drivers/http/audio-fetcher.ts'
import { createWebhookSender } from './drivers/http/webhook-sender.ts'
import { openTracer } from './drivers/opentelemetry/open-tracer.ts'
import { createWebhookSecrets, type SecretStore } from './drivers/sql/secret-store.ts'
import { checkFolderContents, lockFolder } from './drivers/sqlite/data-folder.ts'
import { capacityOf, enginesOf, openEngines } from './open-engines.ts'
import { clusterOf, folderContents, openMachine, type Storage } from './open-storage.ts'
import type { ScratchSpace, StorageHealth, StorageReserve } from './ports/disk.ts'
import type { StorageArea } from './ports/storage-ledger.ts'
import type { TenantObjects } from './ports/object-store.ts'
import { DEFAULT_OPTIONS, prioritiesOf, type ServiceOptions } from './service-options.ts'
import type { Log, Services } from './services.ts'
import { refreshed, type Refreshed } from './use-cases/keys.ts'
import { countedLedger, createTenantObjects, type TenantObjectsParts } from './use-cases/objects.ts'
import { awaitStores } from './use-cases/store-outages.ts'
import { createBacklog } from './use-cases/tasks/backlog.ts'
import { countedTasks, countEngineUses, UsageCounter } from './use-cases/usage.ts'
import { findOwnVoices } from './use-cases/voices.ts'

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

/** Seals what `import` has stored in clear, and follows the secrets of links through rotations. */
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
 * @throws FolderInUseError when another service serves the folder; LostRowsError when its database has lost rows;
 * MissingSecretKeyError; RangeError for an invalid allow-list or a missing option of a cluster; what the storage throws
 */
export async function openServices(options: ServiceOptions, surroundings: ServiceSurroundings): Promise<Services> {
  const settings = { ...DEFAULT_OPTIONS, ...options }
  const { dataDir, deleteAfterSuccess, maxInputCharacters, maxOutputSeconds, maxUploadBytes } = settings
  const { onEnd, stopping, log } = surroundings
  const webhooks = createWebhookPolicy(options.webhookAllow)
  const policy = createAudioUrlPolicy(options.audioUrlAllow)
  const fetcher = createAudioFetcher({ policy, maxBytes: maxUploadBytes })
  const priorities = checkedPriorities(options)
  const { uploadFolder, reserve } = await openFolder(options, onEnd)
  const file = await enginesOf(options)
  const tracer = await openTracer()
  const tenantsAtWork = new TenantsAtWork()
  const work = { priorities, othersWait: tenantsAtWork.areSeveral }
  const working = Promise.all([
    openCodec({ dataDir, unsentBytesPerTenant: settings.unsentBytesPerTenant, log, ...work }),
    openEngines({ dataDir, clock: systemClock, log, drivers: options.engines, file, tracer, ...work }),
  ])
  onEnd(() => closeOpened(working))
  const scratch = createScratchSpace(uploadFolder)
  const storage = await openStorage(options, { scratch, log, reserve })
  const running = new RunningTasks()
  onEnd(() => storage.close())
  onEnd(() => running.ended())
  const { ledger, secrets, voices, ...stores } = storage.stores
  const [codec, { close: _close, ...engines }] = await working
  engines.onEngineUse(findOwnVoices(voices))
  watchTenants(tenantsAtWork, { ...engines.semaphores, encoding: codec.encoders })
  const linkSecrets = await awaitStores({ clock: systemClock, log }, () => reserve.use(() => sealAndFollow(secrets)))
  onEnd(() => linkSecrets.stop())
  const max = settings.storageBytesPerTenant
  const uploads = new UploadsInFlight(max)
  // Other processes of a cluster change its ledger too.
  const quota = { ledger: storage.shared ? ledger : countedLedger(ledger), max, uploads, reserve }
  const { publicUrl, linkLifetimeSeconds: lifetimeSeconds } = surroundings
  return {
    ...stores,
    ...countUsage(stores, engines, onEnd),
    ...engines,
    semaphores: { ...engines.semaphores, encoding: codec.encoders },
    voices,
    codec,
    codecInUse: () => codec.describe,
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
    commitTimes: storage.commitTimes ?? new CallTimes(),
    storageHealth: watchFolders(options, { uploadFolder, log, shared: storage.shared }),
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

function checkedPriorities(options: ServiceOptions): Priorities {
  const priorities = prioritiesOf(options)
  checkPriorities(priorities)
  return priorities
}

function watchTenants(
  tenants: TenantsAtWork,
  { speech, processing, recognition, encoding }: Services['semaphores'],
): void {
  tenants.watch(speech, processing, recognition, encoding)
}

interface CodecSurroundings {
  readonly dataDir: string
  readonly unsentBytesPerTenant: number
  readonly log: Log
  readonly priorities: Priorities
  readonly othersWait: () => boolean
}

async function openCodec({ dataDir, log, ...options }: CodecSurroundings): ReturnType<typeof createCodec> {
  const { encoders, allEncoders, recordings, recognitionThreads } = capacityOf()
  const codec = await createCodec({
    ...options,
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

/** Counts the work of this process, and the calls without a task. Remembers outages. */
function countUsage(
  { tasks, usage }: Pick<Storage['stores'], 'tasks' | 'usage'>,
  { onEngineUse }: Pick<Services, 'onEngineUse'>,
  onEnd: ServiceSurroundings['onEnd'],
): Pick<Services, 'tasks' | 'usageCounter' | 'totals' | 'outage'> {
  const totals = new WorkTotals()
  const usageCounter = new UsageCounter(usage, systemClock, randomUUID())
  onEnd(() => usageCounter.close())
  onEngineUse(countEngineUses(usageCounter))
  return { tasks: countedTasks(tasks, totals), usageCounter, totals, outage: new Outage() }
}

/** What the processes of a cluster share, and a single one has alone. */
function sharedParts(
  { dispatch, keysInFlight, leaderLock, shared, requestCounter, databaseConnections, stores, ...storage }: Storage,
  { maxQueueSeconds: mostSeconds = Infinity }: ServiceOptions,
): Pick<
  Services,
  | 'dispatch'
  | 'keysInFlight'
  | 'leaderLock'
  | 'shared'
  | 'requestCounter'
  | 'databaseConnections'
  | 'backlog'
  | 'probeStores'
  | 'storeTime'
  | 'clockOffset'
> {
  const times = { storeTime: () => storage.now(), clockOffset: new ClockOffset() }
  const backlog = createBacklog({ tasks: stores.tasks, clock: systemClock, mostSeconds })
  const counter = requestCounter === undefined ? {} : { requestCounter }
  return {
    dispatch,
    keysInFlight,
    leaderLock,
    shared,
    backlog,
    probeStores: () => storage.probe(),
    ...times,
    ...counter,
    ...(databaseConnections === undefined ? {} : { databaseConnections }),
  }
}

/** Machines of a cluster that one tenant can fill by default. */
const TENANT_MACHINES = 8

/** Watches the disk and the folders of stored data. */
function watchFolders(
  options: ServiceOptions,
  { uploadFolder, log, shared }: { readonly uploadFolder: string; readonly log: Log; readonly shared: boolean },
): StorageHealth {
  return createStorageHealth(options.dataDir, {
    folders: shared ? [uploadFolder] : [uploadFolder, ...folderContents(options).areas],
    onMade: (folder) =>
      log.error({ folder: basename(folder) }, 'a folder of stored data was missing and is made again'),
  })
}

/** Makes the data folder, private to this user, locks it, and checks it. @throws FolderInUseError; LostRowsError */
async function openFolder(
  options: ServiceOptions,
  onEnd: ServiceSurroundings['onEnd'],
): Promise<{ uploadFolder: string; reserve: StorageReserve }> {
  const { dataDir } = options
  const uploadFolder = join(dataDir, 'uploads')
  await makeFolder(uploadFolder)
  await makePrivate(dataDir)
  const reserve = await openStorageReserve(dataDir)
  onEnd(await reserve.use(async () => lockFolder(dataDir)))
  await reserve.refill()
  if (clusterOf(options) === undefined) await reserve.use(async () => checkFolderContents(folderContents(options)))
  return { uploadFolder, reserve }
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
  const storeFailedRequests = options.failedRequestHours !== 0
  return openCluster(cluster, { apiKeys, tasksAtOncePerTenant, storeFailedRequests, secretKey, scratch, log })
}

/** Opens the three areas of objects. */
async function openAreas(
  storage: Storage,
  quota: Pick<TenantObjectsParts, 'ledger' | 'max' | 'uploads' | 'reserve'>,
): Promise<Pick<Services, 'results' | 'inputs' | 'objects'>> {
  const area = async (name: StorageArea): Promise<TenantObjects> =>
    createTenantObjects({ area: name, store: await storage.openObjects(name), ...quota })
  return { results: await area('results'), inputs: await area('inputs'), objects: await area('uploads') }
}

/** Closes resources that have opened, or will. Resources that fail to open need no close. */
async function closeOpened(opening: Promise<readonly { close(): Promise<void> }[]>): Promise<void> {
  const [opened] = await Promise.allSettled([opening])
  if (opened.status === 'fulfilled') await Promise.all(opened.value.map((resource) => resource.close()))
}
