import { createHash } from 'node:crypto'
import type { Forwarded, Passed } from './fault.ts'

const CREATES_AUDIO_OR_TEXT = /^\/v1\/audio\/(speech|speech\/speakers|transcriptions|voice\/generations|voices)$/

/**
 * The service behind all faults. It sends equal requests to the service once: hundreds of runs share their speech,
 * transcripts, voices and finished tasks. Files and lists are always new.
 */
export class HonestServer {
  readonly #target: string
  readonly #known = new Map<string, Promise<Passed>>()
  /** Hashes of the stored files by id, so that equal files have equal transcripts. */
  readonly #files = new Map<string, string>()

  constructor(target: string) {
    this.#target = target
  }

  /** Returns the service's response, which the caller may change. @param newTasks Sends tasks again. */
  async answer(request: Forwarded, newTasks: boolean): Promise<Passed> {
    const isTask = request.json['async'] === true || request.form?.get('async') === 'true'
    const hasHook = 'webhook_url' in request.json || request.form?.has('webhook_url') === true
    const isShared = request.method === 'POST' && CREATES_AUDIO_OR_TEXT.test(request.path) && !hasHook
    const { status, headers, body } = await (isShared && !(isTask && newTasks)
      ? this.#once(request)
      : this.#send(request))
    return { status, headers: new Headers(headers), body: Buffer.from(body) }
  }

  async #once(request: Forwarded): Promise<Passed> {
    const key = await this.#keyOf(request)
    const known = this.#known.get(key) ?? this.#send(request)
    this.#known.set(key, known)
    return known
  }

  async #send(request: Forwarded): Promise<Passed> {
    const { method, path, authorization, form } = request
    const { body, contentType } = encode(request)
    const response = await fetch(`${this.#target}${path}`, {
      method,
      headers: {
        ...(authorization === undefined ? {} : { authorization }),
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body }),
    })
    const answer = {
      status: response.status,
      headers: response.headers,
      body: Buffer.from(await response.arrayBuffer()),
    }
    if (method === 'DELETE') this.#files.delete(path.split('/').at(-1) ?? '')
    if (method === 'POST' && path === '/v1/files' && response.ok) {
      const { id }: { id?: unknown } = JSON.parse(answer.body.toString())
      this.#files.set(String(id), await hashOf(form?.get('file') ?? ''))
    }
    return answer
  }

  /** Identifies equal requests: boundaries and file ids differ. */
  async #keyOf({ path, authorization, json, form, raw, contentType }: Forwarded): Promise<string> {
    if (form !== undefined) {
      const fields = await Promise.all([...form].map(async ([name, value]) => [name, await hashOf(value)]))
      return JSON.stringify([path, authorization, fields])
    }
    const file = this.#files.get(String(json['file_id']))
    const fields = file === undefined ? json : { ...json, file_id: file }
    const body = Object.keys(json).length > 0 ? fields : raw.toString('base64')
    return JSON.stringify([path, authorization, contentType, body])
  }
}

async function hashOf(value: string | File): Promise<string> {
  if (typeof value === 'string') return value
  const hash = createHash('sha256').update(Buffer.from(await value.arrayBuffer()))
  return `${value.name} ${hash.digest('hex')}`
}

function encode({ json, form, raw, contentType }: Forwarded): {
  readonly body?: FormData | string | Uint8Array<ArrayBuffer>
  readonly contentType?: string | undefined
} {
  if (form !== undefined) return { body: form }
  if (Object.keys(json).length > 0) return { body: JSON.stringify(json), contentType }
  return raw.byteLength === 0 ? { contentType } : { body: Uint8Array.from(raw), contentType }
}
