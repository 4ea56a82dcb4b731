import type { IncomingMessage } from 'node:http'
import { readBody } from './servers.ts'

/** An upload as parsed by Node. */
export interface ReceivedUpload {
  /** Names of all parts, in order. */
  readonly names: readonly string[]
  readonly fields: Readonly<Record<string, readonly string[]>>
  readonly file: { readonly name: string; readonly type: string; readonly bytes: Buffer }
  /** Bytes of the whole body. */
  readonly bodyBytes: number
}

/** Reads a multipart request with its file in the part `field`. */
export async function readUpload(request: IncomingMessage, field = 'file'): Promise<ReceivedUpload> {
  const body = await readBody(request)
  const headers = { 'content-type': String(request.headers['content-type']) }
  const form = await new Request('http://localhost', { method: 'POST', headers, body: new Uint8Array(body) }).formData()
  const fields: Record<string, string[]> = {}
  for (const [name, value] of form) if (typeof value === 'string') (fields[name] ??= []).push(value)
  const file = form.get(field)
  if (!(file instanceof File)) throw new Error(`No file in ${field}`)
  const bytes = Buffer.from(await file.arrayBuffer())
  return { names: [...form.keys()], fields, file: { name: file.name, type: file.type, bytes }, bodyBytes: body.length }
}
