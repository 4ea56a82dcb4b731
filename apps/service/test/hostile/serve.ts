// A service in a separate process, which reports its address and resources to its parent. Arguments: `fast` (real
// routes, stores and queues; fake engines) or `real`, and its folder.
import { createScratchSpace } from '../../src/drivers/folder/folders.ts'
import { mkdir } from 'node:fs/promises'
import { setImmediate as turn } from 'node:timers/promises'
import { serveApp } from '../support/fake-app.ts'
import { createResultLinks } from '../../src/domain/result-links.ts'
import { systemClock } from '../../src/domain/clock.ts'
import { FLITE } from '@svc-audio/engines'
import { startService } from '../../src/index.ts'
import { DEFAULT_OPTIONS } from '../../src/service-options.ts'
import { startWorkers } from '../../src/workers/workers.ts'
import { createFakeServices } from '../support/fake-services.ts'

/** A command of the parent. */
export type Question = 'measure' | 'stop'

/** Resources of an idle service. */
export interface Holdings {
  /** Memory in use after garbage collection, in bytes: heap and buffers. */
  readonly memory: number
  /** Memory of the whole process, in bytes. */
  readonly rss: number
  /** Open connections. */
  readonly sockets: number
}

const KEY = 'hostile-key-of-the-first'
const CHUNK = Buffer.alloc(8192, 1)
/** Chunks of a text with the word `endless`: more than a connection buffers without a reader. */
const MANY_CHUNKS = 2000

const [, , mode = 'fast', dataDir = ''] = process.argv
await mkdir(dataDir, { recursive: true })
const service = mode === 'real' ? await serveReal() : await serveFast()
process.send?.({ url: service.url, key: KEY })
// Without its client, nobody would end this process.
process.once('disconnect', () => process.exit())
process.on('message', (question: Question) => {
  if (question === 'measure') void measure().then((holdings) => process.send?.(holdings))
  else void service.close().then(() => process.disconnect())
})

async function serveReal(): Promise<{ readonly url: string; close(): Promise<void> }> {
  // The inputs of failed tasks must leave too, for the count of leftovers.
  const apiKeys = new Map([[KEY, 'first']])
  return startService({ dataDir, port: 0, apiKeys, logLevel: 'silent', stopTimeout: 3000, failedRequestHours: 0 })
}

async function serveFast(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const fake = await createFakeServices(dataDir)
  let url = ''
  const services = {
    ...fake,
    runtime: { ...fake.runtime, clock: systemClock },
    stores: {
      ...fake.stores,
      keys: {
        ...fake.stores.keys,
        find: async (key: string) => (key === KEY ? { id: 'key', tenant: 'first' } : undefined),
      },
    },
    objects: {
      ...fake.objects,
      links: createResultLinks({ secrets: () => ['s'], publicUrl: () => url, now: () => systemClock.now() }),
      scratch: createScratchSpace(`${dataDir}/uploads`),
      uploadFolder: `${dataDir}/uploads`,
    },
    engines: {
      ...fake.engines,
      recognition: { ...fake.engines.recognition, recognize: fastRecognition },
      speech: {
        ...fake.engines.speech,
        // Base voices for custom voices.
        voices: [...fake.engines.speech.voices, ...FLITE.voices],
        async synthesize({ text }: { readonly text: string }, { signal }: { readonly signal?: AbortSignal } = {}) {
          const format = { sampleRate: 16_000, channels: 1, bitDepth: 16 }
          return { format, chunks: speak(text.startsWith('endless') ? MANY_CHUNKS : 1, signal) }
        },
      },
    },
  }
  await mkdir(services.objects.uploadFolder, { recursive: true })
  const app = await serveApp(services, { app: { requestsAtOncePerTenant: DEFAULT_OPTIONS.requestsAtOncePerTenant } })
  ;({ url } = app)
  const workers = startWorkers(services, 4)
  return {
    url,
    async close() {
      fake.stop.abort()
      await app.close()
      await workers.stop()
      await fake.close()
    },
  }
}

async function* speak(count: number, signal?: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  for (let index = 0; index < count; index += 1) {
    signal?.throwIfAborted()
    yield CHUNK
    await turn()
  }
}

async function fastRecognition(chunks: AsyncIterable<Uint8Array>) {
  let bytes = 0
  for await (const chunk of chunks) bytes += chunk.byteLength
  return { text: `${bytes} bytes`, words: [], durationSeconds: 1 }
}

async function measure(): Promise<Holdings> {
  for (let round = 0; round < 3; round += 1) {
    globalThis.gc?.()
    await turn()
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  const sockets = process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
  return { memory: heapUsed + external, rss, sockets }
}
