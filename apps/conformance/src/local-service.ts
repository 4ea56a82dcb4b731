import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '@svc-audio/service'
import { startHook } from './subject/hook.ts'
import type { SubjectOptions } from './subject/subject.ts'

/** The self-hosted service under test. */
export interface LocalService {
  /** Options for the checks. They allow every check. */
  readonly options: SubjectOptions
  /** Stops the service and removes its folder. */
  close(): Promise<void>
}

const KEYS = { key: 'conformance-key-of-the-first', secondKey: 'conformance-key-of-the-second' } as const

/** Starts the self-hosted service in this process, with two tenants and a temporary folder. */
export async function startLocalService(): Promise<LocalService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-conformance-'))
  const hook = await startHook({ port: 0 })
  const apiKeys = new Map([
    [KEYS.key, 'first'],
    [KEYS.secondKey, 'second'],
  ])
  const service = await startService({
    dataDir,
    port: 0,
    apiKeys,
    logLevel: 'error',
    webhookAllow: ['http://127.0.0.1'],
  })
  return {
    options: { ...KEYS, baseUrl: service.url, hook, largeUploads: true },
    async close() {
      hook.close()
      await service.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
