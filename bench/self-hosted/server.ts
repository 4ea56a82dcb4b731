import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from '../harness/bench-case.ts'
import { cpuSecondsOf, forgetPeak, memoryOf, treeCpuSeconds } from '../harness/process-costs.ts'
import { BenchProcess } from '../harness/processes.ts'
import { silentWav } from '../harness/wav.ts'
import { BENCH_KEY, type ServerAddress, transcribe } from './requests.ts'

/** Cost of a measured server since the last report. */
export interface ServerCost {
  /** User and system time of all its threads, in seconds. */
  readonly cpuSeconds: number
  /** Resident size of the process at the last report, in bytes. */
  readonly residentBytes: number
  /** Peak resident size since then, in bytes. */
  readonly peakBytes: number
}

/**
 * What a server does: the self-hosted service, or bare Fastify with one of its jobs by hand. `responses` returns prepared
 * responses, `accept` stores requests in SQLite, `upload` stores an upload, `speech` speaks with flite in a process, and
 * `pipeline` with one process per processor and the system's ffmpeg.
 */
export type ServerRole = 'service' | 'responses' | 'accept' | 'upload' | 'speech' | 'pipeline'

/** A response of bare Fastify. The server's file has one for each path, as JSON. */
export interface BareResponse {
  /** The body. */
  readonly answer: object
  /** Queries to run before the response, each with all its rows: the reads of the service for the same response. */
  readonly queries: readonly string[]
  /** Whether to sign a link in the response. The link contains its expiry, so each request needs a signature. */
  readonly signs: boolean
}

/** Node flags of `pnpm service` and the container. */
const SERVICE_FLAGS: readonly string[] = ['--max-semi-space-size=2', '--no-parallel-scavenge']

/** A server in a separate process: its cost is separate from the client's. */
export class Server {
  readonly origin: string
  readonly #process: BenchProcess

  private constructor(process: BenchProcess, origin: string) {
    this.#process = process
    this.origin = origin
  }

  /**
   * The self-hosted service on a folder, after its engines have worked: the recognizer loads during the first requests.
   */
  static async service(context: BenchContext, dataDir: string): Promise<Server> {
    const server = await Server.#start(context, ['service', dataDir, BENCH_KEY], SERVICE_FLAGS)
    await transcribe(server, silentWav(1), 'svc-transcribe-1.0')
    return server
  }

  /**
   * Bare Fastify.
   * @param folder Holds its database and files
   * @param responses The file of `responses`
   */
  static async bare(
    context: BenchContext,
    role: Exclude<ServerRole, 'service'>,
    folder: string,
    responses = '',
  ): Promise<Server> {
    return Server.#start(context, [role, folder, responses])
  }

  static async #start(
    { signal }: BenchContext,
    args: readonly [role: ServerRole, folder: string, detail: string],
    flags: readonly string[] = [],
  ): Promise<Server> {
    const process = BenchProcess.start(new URL('./server-process.ts', import.meta.url), args, { signal, flags })
    return new Server(process, await process.next<string>())
  }

  /** CPU of the process and its descendants since its start, in seconds. Linux only. */
  treeCpuSeconds(): number {
    return treeCpuSeconds(this.#process.pid)
  }

  /** Cost since the last call. */
  cost(): Promise<ServerCost> {
    return this.#process.ask('cost')
  }

  stop(): void {
    this.#process.stop()
  }
}

/** How the program is started. */
export interface ProgramOptions {
  readonly dataDir: string
  /** Further arguments of the command line. */
  readonly flags?: readonly string[]
  /** Variables beside those of this process. */
  readonly environment?: Readonly<Record<string, string>>
}

const MAIN = fileURLToPath(new URL('../../apps/service/dist/main.js', import.meta.url))

/** Starts the program as users do, and resolves when it is ready. It ends with the context, also while it is paused. */
export async function startProgram(
  { signal }: Pick<BenchContext, 'signal'>,
  { dataDir, flags = [], environment = {} }: ProgramOptions,
): Promise<ServerAddress & { readonly child: ChildProcess }> {
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

  static async start(context: BenchContext, options: ProgramOptions): Promise<Program> {
    const { child, origin } = await startProgram(context, options)
    if (child.pid === undefined) throw new Error('The service did not start')
    return new Program(child, child.pid, origin)
  }

  /** CPU of the process and its descendants since its start, in seconds. */
  treeCpuSeconds(): number {
    return treeCpuSeconds(this.#pid)
  }

  /** Cost since the last call, without the engines in their processes. */
  async cost(): Promise<ServerCost> {
    const before = this.#before
    this.#before = this.#read()
    forgetPeak(this.#pid)
    const { cpuSeconds, peakBytes } = this.#before
    return { cpuSeconds: cpuSeconds - before.cpuSeconds, residentBytes: before.residentBytes, peakBytes }
  }

  stop(): void {
    this.#process.kill()
  }

  #read(): ServerCost {
    const [residentBytes = NaN, peakBytes = NaN] = [memoryOf(this.#pid, 'VmRSS'), memoryOf(this.#pid, 'VmHWM')]
    return { cpuSeconds: cpuSecondsOf(this.#pid), residentBytes, peakBytes }
  }
}
