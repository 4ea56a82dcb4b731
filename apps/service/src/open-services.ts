import { randomUUID } from 'node:crypto'
import { checkPriorities, type Priorities } from '@svc-audio/engine-ports/driver'
import { ClockOffset, systemClock } from './domain/clock.ts'
import { Outage } from './domain/outage.ts'
import { createResultLinks, LINK_SECRET } from './domain/result-links.ts'
import { RunningTasks, StalledWork } from './domain/running-tasks.ts'
import { UploadsInFlight } from './domain/uploads-in-flight.ts'
import { createAudioUrlPolicy, createWebhookPolicy } from './domain/url-policies.ts'
import { WorkTotals } from './domain/usage.ts'
import { createScratchSpace, freeBytes } from './drivers/folder/folders.ts'
import { createAudioFetcher } from './drivers/http/audio-fetcher.ts'
import { createWebhookSender } from './drivers/http/webhook-sender.ts'
import { openTracer } from './drivers/opentelemetry/open-tracer.ts'
import { createWebhookSecrets, type SecretStore } from './drivers/sql/secret-store.ts'
import { enginesOf, openEngines } from './open-engines.ts'
import type { LostArea } from './drivers/sqlite/data-folder.ts'
import { openFolder, openStorage, watchFolders } from './open-storage.ts'
import type { StorageArea } from './ports/storage-ledger.ts'
import type { TenantObjects } from './ports/object-store.ts'
import { DEFAULT_OPTIONS, prioritiesOf, type ServiceOptions } from './service-options.ts'
import type { Log, Services } from './services.ts'
import type { Storage } from './storage.ts'
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

/**
 * Opens all drivers, of one machine or of a cluster.
 * @throws FolderInUseError when another service serves the folder; LostRowsError when its database has lost rows;
 * MissingSecretKeyError; RangeError for an invalid allow-list or a missing option of a cluster; what the storage throws
 */
export async function openServices(options: ServiceOptions, surroundings: ServiceSurroundings): Promise<Services> {
  const settings = { ...DEFAULT_OPTIONS, ...options }
  const clock = systemClock
  const { dataDir, storageBytesPerTenant: max, maxUploadBytes: maxBytes } = settings
  const { onEnd, stopping, log, publicUrl, linkLifetimeSeconds: lifetimeSeconds } = surroundings
  const webhooks = createWebhookPolicy(options.webhookAllow)
  const fetcher = createAudioFetcher({ policy: createAudioUrlPolicy(options.audioUrlAllow), maxBytes })
  const priorities = checkedPriorities(options)
  const { uploadFolder, reserve, lost } = await openFolder(options, onEnd)
  logLost(lost, log)
  const file = await enginesOf(options)
  const tracer = await openTracer()
  const opening = openEngines({ ...settings, clock, log, drivers: options.engines, file, tracer, priorities })
  onEnd(() => closeOpened(opening))
  const scratch = createScratchSpace(uploadFolder)
  const storage = await openStorage(options, { scratch, log, reserve })
  const running = new RunningTasks()
  onEnd(() => storage.close())
  onEnd(() => running.ended())
  const { stores: rows, openObjects: _openObjects, close: _close, ...shared } = storage
  const { ledger, secrets, tasks, usage, storeMetrics: metrics, ...stores } = rows
  const { engines } = await opening
  engines.addHooks(findOwnVoices(stores.voices))
  const linkSecrets = await awaitStores({ runtime: { clock, log } }, () => reserve.use(() => sealAndFollow(secrets)))
  onEnd(() => linkSecrets.stop())
  const inFlight = new UploadsInFlight(max)
  // Other processes of a cluster change its ledger too.
  const quota = { ledger: storage.shared ? ledger : countedLedger(ledger), max, uploads: inFlight, reserve }
  const totals = new WorkTotals()
  const usageCounter = new UsageCounter(usage, clock, randomUUID())
  onEnd(() => usageCounter.close())
  engines.addHooks(countEngineUses(usageCounter))
  return {
    engines,
    stores: {
      ...stores,
      ...shared,
      tasks: countedTasks(tasks, totals),
      backlog: createBacklog({ tasks, clock, mostSeconds: options.maxQueueSeconds ?? Infinity }),
      usage,
      metrics,
      secrets: createWebhookSecrets(secrets),
    },
    objects: {
      ...(await openAreas(storage, quota)),
      reserve,
      health: watchFolders(options, { uploadFolder, log, shared: storage.shared }),
      lost: lost.map(({ folder }) => folder),
      freeBytes: () => freeBytes(dataDir),
      links: createResultLinks({ secrets: () => linkSecrets.value, publicUrl, lifetimeSeconds }),
      scratch,
      inFlight,
      uploadFolder,
    },
    settings: { ...settingsOf(options), webhooks },
    runtime: {
      clock,
      log,
      clockOffset: new ClockOffset(),
      tracer,
      stopping,
      running,
      stalled: new StalledWork(clock),
      outage: new Outage(),
      totals,
      usageCounter,
      fetcher,
      sender: createWebhookSender({ policy: webhooks }),
    },
  }
}

function logLost(lost: readonly LostArea[], log: Log): void {
  for (const { folder, rows } of lost) {
    log.error({ folder, rows }, 'a folder of stored data has lost its objects: requests for them get 404')
  }
}

function settingsOf(options: ServiceOptions): Omit<Services['settings'], 'webhooks'> {
  const settings = { ...DEFAULT_OPTIONS, ...options }
  const { maxInputCharacters, maxOutputSeconds, maxUploadBytes, openTasksPerTenant, deleteAfterSuccess } = settings
  return {
    maxInputCharacters,
    maxOutputSeconds,
    maxUploadBytes,
    openTasksPerTenant,
    deleteAfterSuccess,
    taskPatience: settings.taskStallTimeout,
    openai: {
      readsMarkdown: settings.openaiMarkdown,
      aliases: settings.openaiAliases ?? new Map(),
      voiceList: settings.openaiVoiceList,
    },
  }
}

function checkedPriorities(options: ServiceOptions): Priorities {
  const priorities = prioritiesOf(options)
  checkPriorities(priorities)
  return priorities
}

/** Time until a rotated secret of links signs, in milliseconds. */
const LINK_SECRET_INTERVAL_MS = 30_000

/** Seals what `import` has stored in clear, and follows the secrets of links through rotations. */
async function sealAndFollow(secrets: SecretStore): Promise<Refreshed<readonly string[]>> {
  await secrets.sealAll()
  return refreshed(() => secrets.valid(LINK_SECRET), systemClock, LINK_SECRET_INTERVAL_MS)
}

/** Opens the three areas of objects. */
async function openAreas(
  storage: Storage,
  quota: Pick<TenantObjectsParts, 'ledger' | 'max' | 'uploads' | 'reserve'>,
): Promise<Pick<Services['objects'], StorageArea>> {
  const area = async (name: StorageArea): Promise<TenantObjects> =>
    createTenantObjects({ area: name, store: await storage.openObjects(name), ...quota })
  return { results: await area('results'), inputs: await area('inputs'), uploads: await area('uploads') }
}

/** Closes a resource that has opened, or will. A resource that fails to open needs no close. */
async function closeOpened(opening: Promise<{ close(): Promise<void> }>): Promise<void> {
  const [opened] = await Promise.allSettled([opening])
  if (opened.status === 'fulfilled') await opened.value.close()
}
