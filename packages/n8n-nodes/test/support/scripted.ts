import { createTestUpstream, type TestUpstream } from '@svc-audio/testing'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { type Engine, startEngine } from './engine.ts'
import { KEY } from './test-service.ts'

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
