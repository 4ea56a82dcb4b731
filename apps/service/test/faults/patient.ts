import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import {
  type ScriptedUpstream,
  startUpstream,
  upstreamEngines,
} from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'
import { childPids } from '@svc-audio/kit/engine-fixtures/process-list.ts'
import { NameServer } from '../support/name-server.ts'
import { Program } from '../support/program.ts'
import { mountSmallDisk, unmountSmallDisk } from '../support/small-disk.ts'
import { KEY } from '../support/test-service.ts'
import { SickMachine } from './sick-machine.ts'

const run = promisify(execFile)

const SPEECH = { model: 'svc-tts-1.0-pro', input: 'Yes.', response_format: 'wav' }

/** The voice of the service, and the one of a speech server. */
const VOICES = { own: 'kal16', far: 'bella' }

/** What a speech server does in place of the bundled engines. */
const FAR = {
  voices: { [VOICES.far]: 'af_bella' },
  recognizes: true,
  keys: ['retries: 0', 'timeouts: { answerSeconds: 10, idleSeconds: 10 }'],
}

/** Time after a fault until everything must work again, in milliseconds. */
const RECOVERY_MS = 60_000

/** Requests of the load at the same time. */
const CLIENTS = 4

/** Pause of a client between two requests, in milliseconds. */
const PAUSE_MS = 200

/** Space and inodes for the results of one round of faults. */
const DISK = 'size=128m,nr_inodes=6000'

/** A service on a small disk of its own, under a load, to be made ill. It needs Linux, root and a C compiler. */
export class Patient {
  /** The small disk. The data folder is in it. */
  readonly disk: string
  readonly machine: SickMachine
  readonly names: NameServer
  /** The server that speaks and recognizes in place of the bundled engines. */
  readonly server: ScriptedUpstream | undefined
  readonly #folder: string
  #program: Program | undefined
  #url = ''
  /** Ids of accepted tasks that are not known to have ended. */
  readonly #open = new Set<string>()
  accepted = 0
  refused = 0

  private constructor(folder: string, machine: SickMachine, names: NameServer, server: ScriptedUpstream | undefined) {
    this.#folder = folder
    this.server = server
    this.disk = join(folder, 'disk')
    this.machine = machine
    this.names = names
  }

  /** @param options.far Whether a scripted server speaks and recognizes. @default the bundled engines do */
  static async admit({ far = false }: { readonly far?: boolean } = {}): Promise<Patient> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-audio-faults-'))
    const server = far ? await startUpstream() : undefined
    const patient = new Patient(folder, await SickMachine.build(folder), await NameServer.listen(), server)
    if (server !== undefined) await writeFile(patient.#enginesFile, upstreamEngines(server, FAR))
    if (!mountSmallDisk(patient.disk, DISK)) throw new Error('This system mounts no small disk')
    await patient.#start()
    return patient
  }

  async #start(): Promise<void> {
    const { machine, names, disk } = this
    const environment = {
      ...machine.environment,
      ...names.environment,
      SVC_AUDIO_API_KEYS: `tenant:${KEY}`,
      ...(this.server === undefined ? {} : { SVC_AUDIO_ENGINES: this.#enginesFile }),
    }
    this.#program = new Program(disk, ['--port', '0', '--data-dir', 'data'], environment)
    this.#url = await this.#program.ready()
  }

  get #enginesFile(): string {
    return join(this.#folder, 'engines.yaml')
  }

  get #speech(): object {
    return { ...SPEECH, voice_id: this.server === undefined ? VOICES.own : VOICES.far }
  }

  get pid(): number {
    return this.#program?.child.pid ?? 0
  }

  /** What the service has logged. */
  get log(): string {
    return this.#program?.stderr ?? ''
  }

  /** Processes of the engines. */
  async engines(): Promise<number[]> {
    const found: number[] = []
    for (const pid of await childPids(this.pid)) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      if (command.includes('worker-process-main')) found.push(pid)
    }
    return found
  }

  /** Limits the file descriptors of the process to those in use and some more. Without a number, to the usual limit. */
  async limitDescriptors(spare?: number): Promise<void> {
    const open = await readdir(`/proc/${this.pid}/fd`)
    const target = ['--pid', String(this.pid)]
    const hard = await run('prlimit', [...target, '--nofile', '--output=HARD', '--noheadings', '--raw'])
    const max = spare === undefined ? hard.stdout.trim() : open.length + spare
    await run('prlimit', [...target, `--nofile=${max}:`])
  }

  /**
   * Limits the memory of the program and its engines to what they have and some more, in bytes. Without a number, there
   * is no limit. An engine that starts under the limit has it too.
   */
  async limitMemory(spare?: number): Promise<void> {
    for (const pid of [this.pid, ...(await this.engines())]) {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
      const used = 1024 * Number(/^VmData:\s+(\d+)/m.exec(status)?.[1] ?? NaN)
      // It has ended.
      if (Number.isNaN(used)) continue
      const max = spare === undefined ? 'unlimited' : used + spare
      await run('prlimit', ['--pid', String(pid), `--data=${max}:`]).catch(() => undefined)
    }
  }

  /** Sends a request with the key. */
  request(path: string, body?: object, signal?: AbortSignal): Promise<Response> {
    const form = body instanceof FormData
    return fetch(`${this.#url}${path}`, {
      headers: { authorization: `Bearer ${KEY}`, ...(form ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { method: 'POST', body: form ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  }

  /** Accepts tasks for a time. Refusals are allowed, lost responses too. */
  async load(milliseconds: number): Promise<void> {
    const end = performance.now() + milliseconds
    const client = async (): Promise<void> => {
      while (performance.now() < end) {
        try {
          const signal = AbortSignal.timeout(20_000)
          const response = await this.request('/v1/audio/speech', { ...this.#speech, async: true }, signal)
          const body = (await response.json()) as { readonly task_id?: string }
          if (response.status === 200 && body.task_id !== undefined) {
            this.#open.add(body.task_id)
            this.accepted += 1
          } else this.refused += 1
        } catch {
          this.refused += 1
        }
        await sleep(PAUSE_MS)
      }
    }
    await Promise.all(Array.from({ length: CLIENTS }, client))
  }

  /**
   * Waits until everything works: readiness, speech, recognition, uploads, and the end of every accepted task.
   * @throws Error naming what does not work a minute after the fault
   */
  async recover(): Promise<void> {
    const end = performance.now() + RECOVERY_MS
    // As a supervisor would.
    if (this.#program?.ended === true) await this.#start()
    for (;;) {
      const problem = await this.#problem().catch((error: unknown) => String(error))
      if (problem === undefined) return
      if (performance.now() > end) throw new Error(`A minute after the fault: ${problem}`)
      await sleep(500)
    }
  }

  async discharge(): Promise<void> {
    await this.#program?.stop()
    this.names.close()
    await this.server?.close()
    unmountSmallDisk(this.disk)
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #problem(): Promise<string | undefined> {
    const signal = AbortSignal.timeout(30_000)
    const ready = await this.request('/readyz', undefined, signal)
    if (ready.status !== 200) return `readyz says ${await ready.text()}`
    const speech = await this.request('/v1/audio/speech', this.#speech, signal)
    const audio = await speech.blob()
    if (speech.status !== 200) return `speech is ${speech.status}: ${await audio.text()}`
    const form = new FormData()
    form.set('model', 'svc-transcribe-1.0')
    form.set('file', audio, 'a.wav')
    const heard = await this.request('/v1/audio/transcriptions', form, signal)
    if (heard.status !== 200) return `a transcription is ${heard.status}: ${await heard.text()}`
    for (const id of this.#open) {
      const task = await this.request(`/v1/audio/tasks/${id}`, undefined, signal)
      if (task.status !== 200) return `the accepted task ${id} is ${task.status}`
      const { status } = (await task.json()) as { readonly status: string }
      if (status !== 'SUCCESS') return `the accepted task ${id} is ${status}`
      this.#open.delete(id)
    }
    return undefined
  }
}
