import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { NotChecked } from '../expect.ts'
import { Api } from '../http/api.ts'

/** Options of {@link Subject}. */
export interface SubjectOptions {
  /** Address of the server, without `/v1`. */
  readonly baseUrl: string
  readonly key: string
  /** Key of another tenant, for the rules about tenants. */
  readonly secondKey?: string
  /** A deleted key. */
  readonly deletedKey?: string
  /** First word of the model ids. @default 'svc' */
  readonly word?: string
  /** Public address of an audio file with speech, for `url` as a source. */
  readonly audioUrl?: string
  /** Receiver of webhooks. */
  readonly hook?: Hook
  /** Allows uploads over 512 MB. @default false */
  readonly largeUploads?: boolean
  /** Sends no transcription, for a server without a recognizer. @default false */
  readonly quick?: boolean
  /** Deadline of one response or one task, in milliseconds. @default 120000 */
  readonly timeout?: number
}

/** The server under test and the shared fixtures of the checks. */
export class Subject {
  readonly options: SubjectOptions
  readonly api: Api
  readonly timeout: number
  readonly #files = new Set<string>()

  constructor(options: SubjectOptions) {
    const { baseUrl, key, timeout = 120_000 } = options
    this.options = options
    this.timeout = timeout
    this.api = new Api({ baseUrl: baseUrl.replace(/\/+$/, '').replace(/\/v1$/, ''), key, timeout })
  }

  /** Returns a model's id with the server's first word. */
  model(rest: string): string {
    return `${this.options.word ?? 'svc'}-${rest}`
  }

  /** Returns a required option. @throws NotChecked with the command-line option */
  need<Name extends keyof SubjectOptions>(name: Name, flag: string): NonNullable<SubjectOptions[Name]> {
    const value = this.options[name]
    if (value === undefined || value === null || value === false) throw new NotChecked(`needs ${flag}`)
    return value
  }

  /** @throws NotChecked in quick mode */
  needRecognizer(): void {
    if (this.options.quick === true) throw new NotChecked('needs a recognizer: run without --quick')
  }

  /** Registers a file for {@link cleanUp}. */
  keepInMind(fileId: string): void {
    this.#files.add(fileId)
  }

  /** Deletes the uploaded files. @returns Ids of the files that remain */
  async cleanUp(): Promise<string[]> {
    const left: string[] = []
    const remove = async (id: string): Promise<void> => {
      // A check may have deleted the file already. A file remains only if it can still be read.
      await this.api.send('DELETE', `/v1/files/${encodeURIComponent(id)}`).catch(() => undefined)
      const response = await this.api.send('GET', `/v1/files/${encodeURIComponent(id)}`).catch(() => undefined)
      if (response?.accepted ?? true) left.push(id)
    }
    await Promise.all([...this.#files].map(remove))
    this.#files.clear()
    return left
  }
}

/**
 * Creates a fixture once per subject and shares it among the checks. A failure is stored too, so each check reports it.
 * @param make Creates the fixture. Its arguments select a variant: values of JSON, or `undefined`.
 */
export function shared<T, Words extends readonly unknown[]>(
  make: (subject: Subject, ...words: Words) => Promise<T>,
): (subject: Subject, ...words: Words) => Promise<T> {
  const all = new WeakMap<Subject, Map<string, Promise<T>>>()
  return (subject, ...words) => {
    const made = all.get(subject) ?? new Map<string, Promise<T>>()
    all.set(subject, made)
    const key = JSON.stringify(words, (_, value: unknown) => (value === undefined ? '(left out)' : value))
    const one = made.get(key) ?? make(subject, ...words)
    made.set(key, one)
    return one
  }
}

/** Options of {@link startHook}. */
interface HookOptions {
  /** Port to listen on. 0 selects a free port. */
  readonly port: number
  /** Public address of the port. @default the address on this machine */
  readonly url?: string
}

/** A receiver of webhooks. */
interface Hook {
  /** Creates an address and a promise that resolves at its call. */
  next(): { readonly url: string; readonly called: Promise<void> }
  close(): void
}

/** Listens for webhooks and answers each with 204. */
export async function startHook({ port, url }: HookOptions): Promise<Hook> {
  const waiting = new Map<string, () => void>()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(204).end()
      waiting.get(new URL(request.url ?? '/', 'http://hook').pathname.split('/').at(-1) ?? '')?.()
    })
  }).listen(port, url === undefined ? '127.0.0.1' : undefined)
  await once(server, 'listening')
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
  return {
    next() {
      const id = randomUUID()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(id, resolve)
      return { url: `${(url ?? own).replace(/\/+$/, '')}/${id}`, called: promise }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
