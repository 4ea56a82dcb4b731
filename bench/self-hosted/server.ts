import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { BenchContext } from '../harness/bench-case.ts'
import { nextMessage } from '../harness/next-message.ts'
import { treeCpuSeconds } from '../harness/tree-cpu.ts'
import { silentWav, transcribe } from './round-trip.ts'
import { SERVICE_FLAGS } from './service-flags.ts'
import type { ServerAddress, ServerCost } from './server-protocol.ts'

/** A server in a separate process: its cost is separate from the client's. */
export class Server {
  readonly origin: string
  readonly #process: ChildProcess

  private constructor(process: ChildProcess, origin: string) {
    this.#process = process
    this.origin = origin
  }

  /**
   * The self-hosted service on a folder, after its engines have worked: the recognizer loads during the first requests.
   */
  static async service(context: BenchContext, dataDir: string): Promise<Server> {
    const server = await Server.#start(
      context,
      new URL('./service-process.ts', import.meta.url),
      dataDir,
      SERVICE_FLAGS,
    )
    await transcribe(server, silentWav(1), 'svc-transcribe-1.0')
    return server
  }

  /** Bare Fastify, which returns the responses in a folder's `ANSWERS_FILE`. */
  static async fastify(context: BenchContext, folder: string): Promise<Server> {
    return Server.#start(context, new URL('./fastify-process.ts', import.meta.url), folder)
  }

  /** Bare Fastify, which stores an upload in a folder. */
  static async bareUpload(context: BenchContext, folder: string): Promise<Server> {
    return Server.#start(context, new URL('./bare-upload-process.ts', import.meta.url), folder)
  }

  /** Bare Fastify, which stores requests in SQLite. */
  static async bareAccept(context: BenchContext, folder: string): Promise<Server> {
    return Server.#start(context, new URL('./bare-accept-process.ts', import.meta.url), folder)
  }

  /** Bare Fastify, which speaks with flite in a process of its own. */
  static async bareSpeech(context: BenchContext): Promise<Server> {
    return Server.#start(context, new URL('./bare-speech-process.ts', import.meta.url), context.folder)
  }

  /** Bare Fastify, which speaks with flite and encodes with the system's ffmpeg. */
  static async barePipeline(context: BenchContext, folder: string): Promise<Server> {
    return Server.#start(context, new URL('./bare-pipeline-process.ts', import.meta.url), folder)
  }

  static async #start(
    context: BenchContext,
    entry: URL,
    dataDir: string,
    execArgv: readonly string[] = [],
  ): Promise<Server> {
    const child = fork(fileURLToPath(entry), [dataDir], {
      execArgv: [...execArgv],
      signal: context.signal,
      stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
    })
    // An abort is an error of the process. The next wait for a message reports it.
    child.on('error', () => {})
    const { origin } = await nextMessage<ServerAddress>(child)
    return new Server(child, origin)
  }

  /** CPU of the process and its descendants since its start, in seconds. Linux only. */
  treeCpuSeconds(): number {
    return treeCpuSeconds(this.#process.pid ?? 0)
  }

  /** Cost since the last call. */
  async cost(): Promise<ServerCost> {
    const cost = nextMessage<ServerCost>(this.#process)
    this.#process.send('cost')
    return cost
  }

  stop(): void {
    this.#process.kill()
  }
}
