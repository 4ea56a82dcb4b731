import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from '../harness/bench-case.ts'
import { forgetPeak, memoryOf } from '../harness/peak-memory.ts'
import { treeCpuSeconds } from '../harness/tree-cpu.ts'
import { BENCH_KEY } from './bench-key.ts'
import type { ServerCost } from './server-protocol.ts'
import { SERVICE_FLAGS } from './service-flags.ts'

const MAIN = fileURLToPath(new URL('../../apps/service/dist/main.js', import.meta.url))
/** Seconds of a clock tick, Linux's unit of CPU time. */
const TICK_SECONDS = 0.01

/** How the program is started. */
export interface ProgramOptions {
  readonly dataDir: string
  /** Further arguments of the command line. */
  readonly flags?: readonly string[]
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>
}

/** A process of the program that is ready. */
export interface StartedProgram {
  readonly child: ChildProcess
  readonly origin: string
}

/** Starts the program as users do, and resolves when it is ready. It ends with the context, also while it is paused. */
export async function startProgram(
  { signal }: Pick<BenchContext, 'signal'>,
  { dataDir, flags = [], environment = {} }: ProgramOptions,
): Promise<StartedProgram> {
  const port = flags.includes('--port') ? [] : ['--port', '0']
  const child = spawn(process.execPath, [...SERVICE_FLAGS, MAIN, ...port, '--data-dir', dataDir, ...flags], {
    env: { ...process.env, SVC_AUDIO_API_KEYS: `bench:${BENCH_KEY}`, SVC_AUDIO_LOG_LEVEL: 'error', ...environment },
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', process.stderr],
  })
  // An abort is an error of the process. No address arrives then.
  child.on('error', () => {})
  for await (const line of createInterface(child.stdout)) {
    const [, origin] = /address {2}(\S+)/.exec(line) ?? []
    if (origin !== undefined) return { child, origin }
  }
  throw new Error('The service did not start')
}

/** The program of the self-hosted service, started as users start it, without code of the benchmark. Linux only. */
export class Program {
  readonly origin: string
  readonly #process: ChildProcess
  readonly #pid: number
  #before: ServerCost

  private constructor(process: ChildProcess, pid: number, origin: string) {
    this.#process = process
    this.#pid = pid
    this.origin = origin
    this.#before = this.#read()
  }

  /** @param environment Variables beside those of this process. */
  static async start(
    context: BenchContext,
    dataDir: string,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Program> {
    const { child, origin } = await startProgram(context, { dataDir, environment })
    if (child.pid === undefined) throw new Error('The service did not start')
    return new Program(child, child.pid, origin)
  }

  /** CPU of the process and its descendants since its start, in seconds. */
  treeCpuSeconds(): number {
    return treeCpuSeconds(this.#pid)
  }

  /** Cost since the last call, without the engines in their processes. */
  async cost(): Promise<ServerCost> {
    const { cpuSeconds, residentBytes, peakBytes } = this.#read()
    const cost = {
      cpuSeconds: cpuSeconds - this.#before.cpuSeconds,
      residentBytes: this.#before.residentBytes,
      peakBytes,
    }
    forgetPeak(this.#pid)
    this.#before = { cpuSeconds, residentBytes, peakBytes }
    return cost
  }

  stop(): void {
    this.#process.kill()
  }

  #read(): ServerCost {
    // The preceding name may contain spaces. User and system time are the 12th and 13th field after it.
    const fields = readFileSync(`/proc/${this.#pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
    const ticks = Number(fields[11]) + Number(fields[12])
    const [residentBytes = NaN, peakBytes = NaN] = [memoryOf(this.#pid, 'VmRSS'), memoryOf(this.#pid, 'VmHWM')]
    return { cpuSeconds: ticks * TICK_SECONDS, residentBytes, peakBytes }
  }
}
