import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { wavHeader } from '@svc-audio/core/audio'
import { nextMessage } from '../harness/next-message.ts'
import type { AppCost, AppName } from './app-protocol.ts'

const ENTRY = fileURLToPath(new URL('./app-process.ts', import.meta.url))
const CHUNK = Buffer.alloc(256 * 1024)
const BOUNDARY = 'bench'

/** An app in a separate process, measured alone. */
export class App implements AsyncDisposable {
  readonly #process: ChildProcess
  readonly #url: string

  private constructor(process: ChildProcess, url: string) {
    this.#process = process
    this.#url = url
  }

  /** @param node The Node program, with default flags. */
  static async start(name: AppName, origin: string, node: string): Promise<App> {
    const child = fork(ENTRY, [name, origin], {
      execPath: node,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', process.stderr, process.stderr, 'ipc'],
    })
    return new App(child, await nextMessage<string>(child))
  }

  /**
   * Uploads a WAV of silence as a browser would.
   * @returns when its first byte was sent, in milliseconds since the epoch
   * @throws Error when the app does not answer 200
   */
  async upload(bytes: number): Promise<number> {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
    const upload = request(this.#url, { method: 'POST', headers, agent: false })
    const answered = once(upload, 'response') as Promise<[IncomingMessage]>
    const disposition = 'Content-Disposition: form-data; name="file"; filename="long.wav"'
    const header = wavHeader({ sampleRate: 48_000, channels: 2, bitDepth: 16 }, bytes - 44)
    const start = now()
    upload.write(`--${BOUNDARY}\r\n${disposition}\r\nContent-Type: audio/wav\r\n\r\n`)
    upload.write(header)
    for (let left = bytes - header.byteLength; left > 0; left -= CHUNK.byteLength) {
      if (!upload.write(CHUNK.subarray(0, left))) await once(upload, 'drain')
    }
    upload.end(`\r\n--${BOUNDARY}--\r\n`)
    const [answer] = await answered
    const body = await text(answer)
    if (answer.statusCode !== 200) throw new Error(`The app answered ${answer.statusCode}: ${body.slice(0, 300)}`)
    return start
  }

  async cost(): Promise<AppCost> {
    const answer = await fetch(`${this.#url}/cost`)
    return (await answer.json()) as AppCost
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.kill()
    await ended
  }
}

/** Milliseconds since the epoch, finer than `Date.now()` and comparable across processes of the machine. */
export function now(): number {
  return performance.timeOrigin + performance.now()
}
