import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { type ServiceOptions, startService } from '@svc-audio/service'

/** The key of the service that the tests run against. */
export const KEY = 'n8n-test-key-4f1c'

/** The real service: real speech, real recognition. */
export interface TestService {
  readonly url: string
  /** A client that does not go through n8n, to compare with. */
  readonly direct: AudioClient
  close(): Promise<void>
}

/** @param options Of the service, beside those that every test shares. */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-n8n-service-'))
  const service = await startService({
    dataDir,
    port: 0,
    apiKeys: new Map([[KEY, 'tenant']]),
    logLevel: 'silent',
    ...options,
  })
  const direct = new AudioClient({ apiKey: KEY, baseUrl: service.url })
  return {
    url: service.url,
    direct,
    async close() {
      await direct.close()
      await service.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
