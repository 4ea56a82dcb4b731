import { FILE_NAMES, form } from './form.ts'
import { HttpClient, type RawResponse } from './http-client.ts'
import { bombs } from './media.ts'
import type { ServiceChild } from './service-child.ts'

/** Longest wait for a deceptive file, in milliseconds. */
const PATIENCE_MS = 20_000

function transcription(value: Buffer, filename: string) {
  const { body, contentType } = form([
    { name: 'model', value: Buffer.from('svc-transcribe-1.0') },
    { name: 'file', value, filename },
  ])
  return { method: 'POST', path: '/v1/audio/transcriptions', headers: { 'content-type': contentType }, body }
}

/** Uploads under path-like names. @returns Names that got a 5xx */
export async function trickyNames(service: ServiceChild): Promise<string[]> {
  const client = new HttpClient(service.url, service.key)
  const faults: string[] = []
  try {
    for (const filename of FILE_NAMES) {
      const { status } = await client.send(transcription(Buffer.from('no audio'), filename))
      if (status >= 500) faults.push(`${status} for the name ${JSON.stringify(filename.slice(0, 50))}`)
    }
  } finally {
    client.close()
  }
  return faults
}

/**
 * Uploads deceptive files. Abandons a slow one after a while, as a client would.
 * @returns Wrong answers, with the file
 */
export async function oddMedia(service: ServiceChild): Promise<string[]> {
  const client = new HttpClient(service.url, service.key)
  const faults: string[] = []
  try {
    for (const { name, bytes } of bombs()) {
      const response = await client.send(transcription(bytes, 'a.wav'), PATIENCE_MS).catch(() => undefined)
      const fault = response === undefined ? undefined : faultOf(response)
      if (fault !== undefined) faults.push(`${name}: ${fault}`)
    }
  } finally {
    client.close()
  }
  return faults
}

function faultOf({ status, text }: RawResponse): string | undefined {
  if (status >= 500) return `${status} ${text.slice(0, 200)}`
  return /root:|\/bin\//.test(text) ? `it was read out: ${text.slice(0, 200)}` : undefined
}
