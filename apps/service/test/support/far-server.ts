import type { ServerResponse } from 'node:http'
import {
  respondJson,
  type ReceivedRequest,
  type ScriptedUpstream,
  startUpstream,
} from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'

/** A server that speaks, recognizes and tells speakers apart. It hears its own name in every recording. */
export class FarServer {
  readonly name: string
  #upstream: ScriptedUpstream
  #isStopped = false

  private constructor(name: string, upstream: ScriptedUpstream) {
    this.name = name
    this.#upstream = upstream
  }

  /** Starts it on a free port. */
  static async start(name: string): Promise<FarServer> {
    const server = new FarServer(name, await startUpstream())
    await server.restore()
    return server
  }

  get baseUrl(): string {
    return this.#upstream.baseUrl
  }

  /** Texts that it was asked to speak. */
  get spoken(): readonly unknown[] {
    return this.#upstream.received.flatMap(({ fields }) => fields['input'] ?? [])
  }

  /** Answers every request with this. */
  fail(fault: (response: ServerResponse) => unknown): void {
    this.#upstream.script = (_request, response) => {
      fault(response)
      return true
    }
  }

  /** Closes its port. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#upstream.close()
  }

  /** Works again, on the same port. */
  async restore(): Promise<void> {
    if (this.#isStopped) this.#upstream = await startUpstream(Number(new URL(this.baseUrl).port))
    this.#isStopped = false
    this.#upstream.script = (request, response) => this.#respond(request, response)
  }

  /** Forgets what it has received. */
  forget(): void {
    this.#upstream.forget()
  }

  async close(): Promise<void> {
    if (!this.#isStopped) await this.#upstream.close()
  }

  #respond({ path, samples }: ReceivedRequest, response: ServerResponse): true | undefined {
    const end = samples.length / 16_000
    if (path.endsWith('/transcriptions')) {
      return respondJson(response, 200, { text: this.name, words: [{ word: this.name, start: 0, end }] })
    }
    if (!path.endsWith('/diarization')) return undefined
    return respondJson(response, 200, { segments: [{ start: 0, end, speaker: 'A' }] })
  }
}

const html = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'text/html' }).end('<html>the gateway</html>')

/** What happens to all routes of a server. One that hangs is met by `timeouts: { answerSeconds: 3 }` in its entry. */
export const FAR_FAULTS: readonly (readonly [what: string, fault: (server: FarServer) => unknown])[] = [
  ['is stopped', (server) => server.stop()],
  ['is behind a gateway that answers 502', (server) => server.fail(html(502))],
  ['is behind a gateway that answers 504', (server) => server.fail(html(504))],
  ['is behind a gateway that answers a page with 200', (server) => server.fail(html(200))],
  ['answers 500 to everything', (server) => server.fail((response) => response.writeHead(500).end('no device'))],
  ['answers 429 to everything', (server) => server.fail((response) => response.writeHead(429).end())],
  ['accepts requests and never responds', (server) => server.fail(() => undefined)],
]

/** An entry of the file of engines. @param keys More keys, a line each */
export function farEntry({ name, baseUrl }: Pick<FarServer, 'name' | 'baseUrl'>, keys: readonly string[] = []): string {
  const lines = [
    'driver: openai',
    `baseUrl: ${baseUrl}`,
    'speech: { model: kokoro, voices: [{ id: bella }] }',
    'recognition: { model: whisper-1 }',
    'diarization: { model: pyannote }',
    ...keys,
  ]
  return `  ${name}:\n${lines.map((line) => `    ${line}\n`).join('')}`
}
