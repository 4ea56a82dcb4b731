import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Holdings } from './serve.ts'

const PROGRAM = fileURLToPath(new URL('./serve.ts', import.meta.url))

/** Fake engines for large numbers of requests, or the real ones. */
export type Mode = 'fast' | 'real'

/** A service in a separate process. */
export interface ServiceChild {
  readonly url: string
  readonly key: string
  /** Its folder. */
  readonly dataDir: string
  /** Its resources, after garbage collection. */
  measure(): Promise<Holdings>
  /** Files in its temporary folders: uploads, and inputs of tasks. */
  leftovers(): Promise<string[]>
  /** Content beside its folder. It must not write there. */
  neighbours(): Promise<string[]>
  /** Whether it still runs. */
  readonly alive: boolean
  /** Its standard error, which shows a crash. */
  readonly complaints: string
  /** Ends the service and removes its folder. @returns Its exit code */
  stop(): Promise<number | null>
}

/** Lets a shell limit the open files of the program that it becomes. */
const limitFiles = (files: number): string[] => ['-c', `ulimit -n ${files}; exec "$0" "$@"`, process.execPath]

/**
 * Starts a service in a nested folder, which exposes paths that lead out of it.
 * @param openFiles Limit of its open files. @default the limit of this process
 */
export async function startServiceChild(mode: Mode, openFiles?: number): Promise<ServiceChild> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-audio-hostile-'))
  const dataDir = join(parent, 'data')
  const child = fork(PROGRAM, [mode, dataDir], {
    ...(openFiles === undefined ? {} : { execPath: '/bin/sh' }),
    execArgv: [...(openFiles === undefined ? [] : limitFiles(openFiles)), '--expose-gc', '--no-warnings'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  const said = { stderr: '' }
  child.stderr?.on('data', (data: Buffer) => (said.stderr += data.toString()))
  const exited = once(child, 'exit')
  const first = await Promise.race([once(child, 'message'), exited.then(() => undefined)])
  if (first === undefined) throw new Error(`The service did not start: ${said.stderr}`)
  const { url, key } = first[0] as { readonly url: string; readonly key: string }
  return {
    url,
    key,
    dataDir,
    async measure() {
      child.send('measure')
      const [holdings] = (await once(child, 'message')) as [Holdings]
      return holdings
    },
    async leftovers() {
      const folders = ['uploads', 'inputs']
      const all = await Promise.all(folders.map((folder) => readdir(join(dataDir, folder)).catch(() => [])))
      return all.flat()
    },
    neighbours: () => readdir(parent),
    get alive() {
      return child.exitCode === null && child.signalCode === null
    },
    get complaints() {
      return said.stderr
    },
    async stop() {
      if (child.connected) child.send('stop')
      await exited
      await rm(parent, { recursive: true, force: true })
      return child.exitCode
    },
  }
}
