import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Holdings } from './serve.ts'

const PROGRAM = fileURLToPath(new URL('./serve.ts', import.meta.url))

/** Engines that only pretend, for numbers; or the real ones. */
export type Mode = 'fast' | 'real'

/** A service in a process of its own. */
export interface ServiceChild {
  readonly url: string
  readonly key: string
  /** Its folder. */
  readonly dataDir: string
  /** What it holds, after garbage collection. */
  measure(): Promise<Holdings>
  /** Files in its folders of things that pass: uploads, and inputs of tasks. */
  leftovers(): Promise<string[]>
  /** What is beside its folder, where it must not write. */
  neighbours(): Promise<string[]>
  /** Whether it still runs. */
  readonly alive: boolean
  /** What it wrote to standard error, which is where a crash is told. */
  readonly complaints: string
  /** Ends it and removes its folder. @returns Its exit code */
  stop(): Promise<number | null>
}

/** Starts a service in a folder within a folder, so that a path that leads out of it is seen. */
export async function startServiceChild(mode: Mode): Promise<ServiceChild> {
  const parent = await mkdtemp(join(tmpdir(), 'svc-audio-hostile-'))
  const dataDir = join(parent, 'data')
  const child = fork(PROGRAM, [mode, dataDir], {
    execArgv: ['--expose-gc', '--no-warnings'],
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
