import { fork } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from './bench-case.ts'
import type { Measurement } from './child-protocol.ts'

const CHILD = fileURLToPath(new URL('./child.ts', import.meta.url))

/**
 * Runs a module's `run(args)` in a fresh process and returns its cost.
 * @throws when the process fails or the run is aborted
 */
export async function measure<Result>(context: BenchContext, module: URL, args: object): Promise<Measurement<Result>> {
  const child = fork(CHILD, [module.href, JSON.stringify(args)], {
    signal: context.signal,
    // Standard output belongs to the report.
    stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
    // Type stripping takes 17 MB, which users of the compiled package do not pay. A cached module takes nothing.
    env: { ...process.env, NODE_COMPILE_CACHE: join(context.folder, 'compile-cache') },
  })
  return new Promise((resolve, reject) => {
    let measurement: Measurement<Result> | undefined
    // The child sends nothing else.
    child.once('message', (message) => (measurement = message as Measurement<Result>))
    child.once('error', reject)
    child.once('exit', (code, killed) => {
      if (measurement !== undefined && code === 0) resolve(measurement)
      else reject(new Error(`${fileURLToPath(module)} ended with ${code ?? killed}`))
    })
  })
}
