import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { type ServiceOptions, startService } from '@svc-audio/service'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type Engine, startEngine } from './engine.ts'

/** n8n's engine and the service that its nodes call. */
export interface Scripted {
  /** One engine for the file. Its credentials name `upstream`. */
  readonly engine: Engine
  /** A scripted service for each test. */
  readonly upstream: TestUpstream
}

/** Registers the hooks of a test file. Read the fields in a test or in a later hook. */
export function scripted(): Scripted {
  let engine: Engine | undefined
  let upstream: TestUpstream | undefined

  beforeAll(async () => {
    engine = await startEngine({ apiKey: KEY, baseUrl: '' })
  })

  afterAll(async () => {
    await engine?.close()
  })

  beforeEach(async () => {
    upstream = await createTestUpstream({ apiKey: KEY })
    running(engine).credentials = { apiKey: KEY, baseUrl: upstream.url }
  })

  afterEach(async () => {
    await upstream?.close()
  })

  return {
    get engine() {
      return running(engine)
    },
    get upstream() {
      return running(upstream)
    },
  }
}

function running<T>(part: T | undefined): T {
  if (part === undefined) throw new Error('Read the engine and the upstream in a test or in a later hook')
  return part
}

/** The key of the service that the tests run against. */
export const KEY = 'n8n-test-key-4f1c'

/** A second key of the same service, of another tenant. */
export const OTHER_KEY = 'n8n-test-key-8e2b'

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
    apiKeys: new Map([
      [KEY, 'tenant'],
      [OTHER_KEY, 'other'],
    ]),
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
