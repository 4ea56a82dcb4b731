import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { AudioClient } from '@svc-audio/core'
import type { EngineDrivers, RecognitionEngine } from '@svc-audio/engine-ports'
import { bundledEngines } from '@svc-audio/engines'
import { type ServiceOptions, startService } from '../../src/index.ts'

/** The key of the tenant `first`. */
export const KEY = 'test-key-of-the-first-tenant'
/** The key of the tenant `second`. */
export const OTHER_KEY = 'test-key-of-the-second-tenant'

/** A service on a free port with a separate folder. */
export interface TestService {
  readonly url: string
  readonly dataDir: string
  readonly audio: AudioClient
  /** A request with the key of the tenant `first`. `body` is sent as JSON unless it is a form. */
  request(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<Response>
  /** Number of tasks of all tenants. */
  countTasks(): number
  /** Names in a folder of the service. */
  list(folder: 'results' | 'uploads' | 'inputs' | 'files'): Promise<string[]>
  /** Stops it. Its folder stays. */
  stop(): Promise<void>
  /** Stops it and removes its folder. */
  close(): Promise<void>
}

/** Starts a real service: real engines, real files, real HTTP. */
export async function startTestService(options: Partial<ServiceOptions> = {}): Promise<TestService> {
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), 'svc-audio-test-')))
  const apiKeys = new Map([
    [KEY, 'first'],
    [OTHER_KEY, 'second'],
  ])
  const engines = lateRecognition()
  const service = await startService({ port: 0, apiKeys, logLevel: 'silent', engines, ...options, dataDir })
  const audio = new AudioClient({ apiKey: KEY, baseUrl: service.url })
  return {
    url: service.url,
    dataDir,
    audio,
    request: (method, path, body, headers = {}) => {
      const form = body instanceof FormData
      const json = body === undefined || form ? {} : { 'content-type': 'application/json' }
      return fetch(`${service.url}${path}`, {
        method,
        headers: { authorization: `Bearer ${KEY}`, ...json, ...headers },
        ...(body === undefined ? {} : { body: form ? body : JSON.stringify(body) }),
      })
    },
    countTasks() {
      const database = new DatabaseSync(join(dataDir, 'service.sqlite'), { readOnly: true })
      try {
        return Number(database.prepare('SELECT count(*) AS count FROM tasks').get()?.['count'])
      } finally {
        database.close()
      }
    },
    list: (folder) => readdir(join(dataDir, folder)),
    async stop() {
      await audio.close()
      await service.close()
    },
    async close() {
      await audio.close()
      await service.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The error of a response: its status and the fields of its body. */
export async function errorOf(response: Response): Promise<{ status: number; code: string; param: string | null }> {
  const { error } = (await response.json()) as { error: { code: string; param: string | null } }
  return { status: response.status, code: error.code, param: error.param }
}

/**
 * The bundled recognizer, which loads its model when the first recording comes, and not when a starting service probes
 * it. Most tests transcribe nothing, and the model costs a quarter of a start.
 */
function lateRecognition(): Pick<EngineDrivers, 'recognition'> {
  const bundled = bundledEngines()
  const { recognition } = bundled
  return {
    recognition: {
      ...recognition,
      async create(options) {
        let isProbed = false
        let made: Promise<RecognitionEngine> | undefined
        const engine = (): Promise<RecognitionEngine> => (made ??= recognition.create(options))
        return {
          name: recognition.name,
          language: recognition.language,
          async recognize(pcm, how) {
            if (isProbed) return (await engine()).recognize(pcm, how)
            isProbed = true
            return { text: '', words: [], durationSeconds: 0 }
          },
          async close() {
            await (await made)?.close()
            await bundled.close()
          },
        }
      },
    },
  }
}
