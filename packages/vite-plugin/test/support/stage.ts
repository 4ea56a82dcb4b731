import { mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { startService } from '@svc-audio/service'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import type { NarrationOptions } from '../../src/index.ts'
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts'
import { Site, type SiteFiles } from './site.ts'

/** The key that the service of the tests knows. */
export const API_KEY = 'test-key-of-the-narration-site'

/** Everything that the tests of a file work with. */
export interface Stage {
  /** In front of a real service, the same one for a whole file; new for each test. */
  readonly proxy: CountingProxy
  /** A client that goes past the proxy. */
  readonly client: AudioClient
  /**
   * A new site in a folder of its own, removed after the test.
   * @param options For its plugins, besides those that lead to the service. WAV costs the service least.
   */
  site(files: SiteFiles, options?: Partial<NarrationOptions>): Promise<Site>
}

/** Sets up the real service and what stands around it. */
export function setUpStage(): Stage {
  const cleanups: (() => Promise<void>)[] = []
  const cleanUp = async (): Promise<void> => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
  }
  const temporaryFolder = async (): Promise<string> => realpath(await mkdtemp(join(tmpdir(), 'svc-audio-vite-')))
  let serviceUrl = ''
  let closeService = async (): Promise<void> => {}
  let proxy: CountingProxy
  let client: AudioClient

  beforeAll(async () => {
    const dataDir = await temporaryFolder()
    const apiKeys = new Map([[API_KEY, 'tenant']])
    const service = await startService({ dataDir, port: 0, apiKeys, logLevel: 'silent', stopTimeout: 1000 })
    serviceUrl = service.url
    client = new AudioClient({ apiKey: API_KEY, baseUrl: serviceUrl })
    closeService = async () => {
      await client.close()
      await service.close()
      await rm(dataDir, { recursive: true, force: true })
    }
  })
  beforeEach(async () => {
    proxy = await startCountingProxy(serviceUrl)
    cleanups.push(() => proxy.close())
  })
  afterEach(cleanUp)
  afterAll(() => closeService())

  return {
    get proxy() {
      return proxy
    },
    get client() {
      return client
    },
    async site(files, options = {}) {
      const root = await temporaryFolder()
      const site = new Site(root, () => ({ apiKey: API_KEY, baseUrl: proxy.url, voice_id: 'rms', ...options }))
      cleanups.push(() => site.remove())
      await site.write(files)
      return site
    },
  }
}
