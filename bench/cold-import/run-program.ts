import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from '../harness/bench-case.ts'
import { PROGRAMS, type ProgramName } from './programs.ts'

/** Folder of the packages. */
const FOLDER = fileURLToPath(new URL('..', import.meta.url))

/**
 * Runs a program in a fresh process, without a cache of compiled code.
 * @returns milliseconds from its start to its end
 * @throws Error when it fails
 */
export async function runProgram(context: BenchContext, name: ProgramName, origin: string): Promise<number> {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env
  const start = performance.now()
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAMS[name]], {
    cwd: FOLDER,
    env: { ...env, ORIGIN: origin },
    signal: context.signal,
    stdio: ['ignore', process.stderr, process.stderr],
  })
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`The program "${name}" ended with ${code}`)
  return performance.now() - start
}
