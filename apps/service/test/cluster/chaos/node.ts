// A process of a cluster whose engines wait, as those on another device do. They need no processor, so that seven
// processes fit on a small machine. Its settings come from the environment, its address goes to the parent.
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Random, SEED } from '@svc-audio/kit/engine-fixtures/random.ts'
import { createWebhookPolicy } from '../../../src/domain/url-policies.ts'
import { ClockOffset, systemClock } from '../../../src/domain/clock.ts'
import { createResultLinks } from '../../../src/domain/result-links.ts'
import { createWebhookSender } from '../../../src/drivers/http/webhook-sender.ts'
import { createWebhookSecrets } from '../../../src/drivers/sql/secret-store.ts'
import { createCodec } from '../../../src/drivers/codec/create-codec.ts'
import { openCluster } from '../../../src/open-cluster.ts'
import type { StorageArea } from '../../../src/ports/storage-ledger.ts'
import type { Services } from '../../../src/services.ts'
import { startSweeping } from '../../../src/use-cases/sweep.ts'
import { createTenantObjects } from '../../../src/use-cases/objects.ts'
import { createBacklog } from '../../../src/use-cases/tasks/backlog.ts'
import { StalledWork } from '../../../src/domain/running-tasks.ts'
import { startWorkers } from '../../../src/workers/workers.ts'
import { createFakeServices, wholeReserve } from '../../support/fake-services.ts'
import { serveApp } from '../../support/fake-app.ts'

function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const fake = await createFakeServices()
const log = { error: () => {}, warn: () => {}, info: () => {} }
const cluster = await openCluster(
  {
    databaseUrl: setting('DATABASE_URL'),
    directUrl: setting('DATABASE_URL'),
    isPooled: false,
    databaseConnections: 6,
    s3: { bucket: setting('S3_BUCKET'), endpoint: setting('S3_ENDPOINT'), region: undefined },
  },
  {
    apiKeys: new Map([
      ['key-of-first', 'first'],
      ['key-of-second', 'second'],
    ]),
    tasksAtOncePerTenant: undefined,
    storeFailedRequests: true,
    scratch: fake.objects.scratch,
    log,
  },
)
const { ledger, secrets, ...stores } = cluster.stores
const linkSecrets = [await secrets.named('result-links')]
const area = async (name: StorageArea) =>
  createTenantObjects({ area: name, store: await cluster.openObjects(name), ledger, reserve: wholeReserve })
const webhooks = createWebhookPolicy(['http://127.0.0.1'])
const milliseconds = Number(setting('ENGINE_MS'))
const random = new Random(SEED)
/** An engine that takes work, never ends it, and does not listen to its abort, while the process lives. */
let hangs = process.env['ENGINE_HANGS'] === 'yes'
process.on('message', (message: { readonly hangs: boolean }) => {
  hangs = message.hangs
})

async function work(signal: AbortSignal | undefined): Promise<void> {
  if (hangs) await new Promise(() => {})
  await sleep(milliseconds * random.between(0.5, 1.5), undefined, signal === undefined ? {} : { signal })
}

/** The text as samples, a letter for each. */
async function* speak(spoken: string, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  await work(signal)
  yield Buffer.from(spoken, 'utf16le')
}

const codec = await createCodec()
const services: Services = {
  ...fake,
  engines: {
    ...fake.engines,
    // A recording is its own sound.
    codec: { ...fake.engines.codec, encode: codec.encode.bind(codec) },
    speech: {
      ...fake.engines.speech,
      synthesize: async ({ text: spoken }, { signal } = {}) => ({
        format: { sampleRate: 16_000, channels: 1, bitDepth: 16 },
        chunks: speak(spoken, signal),
      }),
    },
    recognition: {
      ...fake.engines.recognition,
      async recognize(chunks, { signal } = {}) {
        const heard = await text(chunks)
        await work(signal)
        return { text: heard, words: [], durationSeconds: 1 }
      },
    },
  },
  runtime: {
    ...fake.runtime,
    clock: systemClock,
    log,
    stalled: new StalledWork(systemClock),
    clockOffset: new ClockOffset(),
    sender: createWebhookSender({ policy: webhooks }),
    stopping: new AbortController().signal,
  },
  stores: {
    ...fake.stores,
    ...stores,
    metrics: stores.storeMetrics,
    backlog: createBacklog({ tasks: stores.tasks, clock: systemClock, mostSeconds: Infinity }),
    dispatch: cluster.dispatch,
    keysInFlight: cluster.keysInFlight,
    leaderLock: cluster.leaderLock,
    shared: true,
    time: cluster.time,
    secrets: createWebhookSecrets(secrets),
  },
  settings: { ...fake.settings, taskPatience: Number(process.env['PATIENCE_MS'] ?? 90_000), webhooks },
  objects: {
    ...fake.objects,
    links: createResultLinks({ secrets: () => linkSecrets, publicUrl: () => 'http://public' }),
    results: await area('results'),
    inputs: await area('inputs'),
    uploads: await area('uploads'),
  },
}
const HOUR = 3_600_000
/** Time between two sweeps of a process, in milliseconds. Without it, nothing is swept. */
const sweepMs = process.env['SWEEP_MS']
if (sweepMs !== undefined) {
  const { leaderLock: lock } = services.stores
  const leaderLock: typeof lock = { ...lock, run: (name, done) => lock.run(name, done) }
  const setTimer: typeof systemClock.setTimer = (_pause, next) => systemClock.setTimer(Number(sweepMs), next)
  startSweeping(
    {
      ...services,
      stores: { ...services.stores, leaderLock },
      runtime: { ...services.runtime, clock: { now: () => systemClock.now(), setTimer } },
    },
    { inputs: 24 * HOUR, failedRequests: 48 * HOUR, results: 48 * HOUR, responses: 24 * HOUR, audit: 100 * 24 * HOUR },
  )
}
if (setting('ROLE') === 'worker') {
  startWorkers(services, Number(setting('AT_ONCE')))
  process.send?.({ url: '' })
} else {
  const { url } = await serveApp(services)
  process.send?.({ url })
}
// The parent has ended.
process.on('disconnect', () => process.exit())
