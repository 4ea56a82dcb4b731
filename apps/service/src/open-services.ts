import { join } from 'node:path'
import { capacityOf } from './capacity.ts'
import { createAudioUrlPolicy } from './domain/audio-url-policy.ts'
import { systemClock } from './domain/clock.ts'
import { RunningTasks } from './domain/running-tasks.ts'
import { createResultLinks } from './domain/result-links.ts'
import { UploadsInFlight } from './domain/uploads-in-flight.ts'
import { createWebhookPolicy } from './domain/webhook-policy.ts'
import { createCodec } from './drivers/codec/create-codec.ts'
import { freeBytes, makeFolder } from './drivers/folder/folders.ts'
import { createFolderObjectStore } from './drivers/folder/object-store.ts'
import { createScratchSpace } from './drivers/folder/scratch-space.ts'
import { createStorageHealth } from './drivers/folder/storage-health.ts'
import { openStorageReserve } from './drivers/folder/storage-reserve.ts'
import { createAudioFetcher } from './drivers/http/audio-fetcher.ts'
import { createWebhookSender } from './drivers/http/webhook-sender.ts'
import { createDispatch } from './drivers/memory/dispatch.ts'
import { lockFolder } from './drivers/sqlite/folder-lock.ts'
import { createWebhookSecrets } from './drivers/sqlite/key-store.ts'
import { openStores } from './drivers/sqlite/open-stores.ts'
import { openEngines } from './open-engines.ts'
import { DEFAULT_OPTIONS, type ServiceOptions } from './service-options.ts'
import type { StorageArea } from './ports/storage-ledger.ts'
import type { TenantObjects } from './ports/tenant-objects.ts'
import type { Log, Services } from './services.ts'
import { InFlightKeys } from './use-cases/idempotency/in-flight.ts'
import { countedLedger } from './use-cases/storage/counted-ledger.ts'
import { createTenantObjects, type TenantObjectsParts } from './use-cases/storage/tenant-objects.ts'
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

/** Path of the database: everything that the service stores, except objects. */
export function databasePath(dataDir: string): string {
  return join(dataDir, 'service.sqlite')
}

/**
 * Opens all drivers on one machine: SQLite, a folder and this process.
 * @throws FolderInUseError when another service serves the folder; RangeError for an invalid allow-list
 */
export async function openServices(options: ServiceOptions, surroundings: ServiceSurroundings): Promise<Services> {
  const { dataDir, deleteAfterSuccess, maxInputCharacters, maxOutputSeconds, maxUploadBytes } = {
    ...DEFAULT_OPTIONS,
    ...options,
  }
  const { onEnd, stopping, log } = surroundings
  const webhooks = createWebhookPolicy(options.webhookAllow)
  const fetcher = createAudioFetcher({
    policy: createAudioUrlPolicy(options.audioUrlAllow),
    maxBytes: maxUploadBytes,
  })
  const uploadFolder = join(dataDir, 'uploads')
  await makeFolder(uploadFolder)
  const reserve = await openStorageReserve(dataDir)
  onEnd(await reserve.use(async () => lockFolder(dataDir)))
  await reserve.refill()
  const { encoders, allEncoders, recordings, listeners, tasks } = capacityOf()
  const working = Promise.all([
    createCodec({
      unsentBytesPerTenant: options.unsentBytesPerTenant ?? DEFAULT_OPTIONS.unsentBytesPerTenant,
      maxProcesses: encoders,
      maxEncoders: allEncoders,
      // The places of recordings and samples bound them.
      maxDecoders: recordings + listeners + 1,
    }),
    openEngines(dataDir, systemClock, log),
  ])
  onEnd(async () => {
    const [opened] = await Promise.allSettled([working])
    if (opened.status === 'rejected') return
    const [codec, engines] = opened.value
    await Promise.all([codec.close(), engines.close()])
  })
  const opened = await reserve.use(() =>
    openStores(databasePath(dataDir), {
      given: options.apiKeys,
      atOncePerTenant: options.tasksAtOncePerTenant ?? tasks,
    }),
  )
  onEnd(() => opened.close())
  const { ledger, secrets, voices, ...stores } = opened.stores
  const [codec, { close: _close, ...engines }] = await working
  const secret = await reserve.use(() => secrets.named('result-links'))
  const most = options.storageBytesPerTenant ?? DEFAULT_OPTIONS.storageBytesPerTenant
  const uploads = new UploadsInFlight(most)
  const quota = { ledger: countedLedger(ledger), most, uploads, reserve }
  const { publicUrl, linkLifetimeSeconds: lifetimeSeconds } = surroundings
  return {
    ...stores,
    ...engines,
    semaphores: { ...engines.semaphores, encoding: codec.encoders },
    speech: speakOwnVoices(engines.speech, voices),
    voices,
    codec,
    fetcher,
    running: new RunningTasks(),
    keysInFlight: new InFlightKeys(),
    dispatch: createDispatch(),
    sender: createWebhookSender({ policy: webhooks }),
    secrets: createWebhookSecrets(secrets),
    webhooks,
    ...(await openObjects(dataDir, quota)),
    reserve,
    storageHealth: createStorageHealth(dataDir),
    freeBytes: () => freeBytes(dataDir),
    links: createResultLinks({ secret, publicUrl, lifetimeSeconds }),
    scratch: createScratchSpace(uploadFolder),
    uploads,
    uploadFolder,
    deleteAfterSuccess,
    maxInputCharacters,
    maxOutputSeconds,
    maxUploadBytes,
    openTasksPerTenant: options.openTasksPerTenant ?? DEFAULT_OPTIONS.openTasksPerTenant,
    clock: systemClock,
    log,
    stopping,
  }
}

/** Opens the three areas of objects, each in its own folder. */
async function openObjects(
  dataDir: string,
  quota: Pick<TenantObjectsParts, 'ledger' | 'most' | 'uploads' | 'reserve'>,
): Promise<Pick<Services, 'results' | 'inputs' | 'objects'>> {
  const area = async (name: StorageArea, folder: string): Promise<TenantObjects> => {
    const store = await createFolderObjectStore(join(dataDir, folder))
    return createTenantObjects({ area: name, store, ...quota })
  }
  return {
    results: await area('results', 'results'),
    inputs: await area('inputs', 'inputs'),
    objects: await area('uploads', 'files'),
  }
}
