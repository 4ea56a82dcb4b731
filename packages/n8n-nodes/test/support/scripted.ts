import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioClient } from '@svc-audio/core'
import { type ServiceOptions, startService } from '@svc-audio/service'
import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type BinaryMode, type Engine, startEngine } from './engine.ts'

/** n8n's engine and the service that its nodes call. */
export interface Scripted {
  /** One engine for the file. Its credentials name `upstream`. */
  readonly engine: Engine
  /** A scripted service for each test. */
  readonly upstream: TestUpstream
}

/**
 * Registers the hooks of a test file. Read the fields in a test or in a later hook.
 * @param options Of each scripted service, beside the key.
 */
export function scripted(options: Parameters<typeof createTestUpstream>[0] = {}): Scripted {
  let engine: Engine | undefined
  let upstream: TestUpstream | undefined

  beforeAll(async () => {
    engine = await startEngine({ apiKey: KEY, baseUrl: '' })
  })

  afterAll(async () => {
    await engine?.close()
  })

  beforeEach(async () => {
    upstream = await createTestUpstream({ apiKey: KEY, ...options })
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

/** n8n's engine and the real service that its nodes call. */
export interface Served {
  /** One engine for the file. */
  readonly engine: Engine
  /** One service for the file. The engine's credentials name it when the file begins. */
  readonly service: TestService
}

/**
 * Registers the hooks of a test file. Read the fields in a test or in a later hook.
 * @param options Of the service. `binaryMode` is where n8n keeps binary fields.
 */
export function served({
  binaryMode,
  ...options
}: Partial<ServiceOptions> & { readonly binaryMode?: BinaryMode } = {}): Served {
  let engine: Engine | undefined
  let service: TestService | undefined

  beforeAll(async () => {
    service = await startTestService(options)
    engine = await startEngine({ apiKey: KEY, baseUrl: service.url }, binaryMode)
  })

  afterAll(async () => {
    await engine?.close()
    await service?.close()
  })

  return {
    get engine() {
      return running(engine)
    },
    get service() {
      return running(service)
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
export interface TestService extends AsyncDisposable {
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
  const close = async (): Promise<void> => {
    await direct.close()
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { url: service.url, direct, close, [Symbol.asyncDispose]: close }
}
