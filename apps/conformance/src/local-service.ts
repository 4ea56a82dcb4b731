import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startService } from '@svc-audio/service'
import { startHook, type SubjectOptions } from './subject/subject.ts'

/** The self-hosted service under test. */
export interface LocalService {
  /** Options for the checks. They allow every check. */
  readonly options: SubjectOptions
  /** Stops the service and removes its folder. */
  close(): Promise<void>
}

const KEYS = { key: 'conformance-key-of-the-first', secondKey: 'conformance-key-of-the-second' } as const

/** Options of {@link startLocalService}. */
export interface LocalServiceOptions {
  /** A file of engines, as YAML. @default the bundled engines */
  readonly engines?: string
  /** Whether the service has the OpenAI API too. @default false */
  readonly openaiApi?: boolean
  /** Whether no recording is transcribed: the engines speak what the recognizer does not know. @default false */
  readonly quick?: boolean
}

/** Starts the self-hosted service in this process, with two tenants and a temporary folder. */
export async function startLocalService({
  engines,
  openaiApi = false,
  quick = false,
}: LocalServiceOptions = {}): Promise<LocalService> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-audio-conformance-'))
  const hook = await startHook({ port: 0 })
  const apiKeys = new Map([
    [KEYS.key, 'first'],
    [KEYS.secondKey, 'second'],
  ])
  const enginesFile = join(dataDir, 'engines.yaml')
  if (engines !== undefined) await writeFile(enginesFile, engines)
  const service = await startService({
    ...(engines === undefined ? {} : { enginesFile }),
    openaiApi,
    dataDir,
    port: 0,
    apiKeys,
    logLevel: 'error',
    webhookAllow: ['http://127.0.0.1'],
  })
  return {
    options: { ...KEYS, baseUrl: service.url, hook, largeUploads: true, quick },
    async close() {
      hook.close()
      await service.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
