import type { IntegrationOutcome } from '../integrations/integration.ts'

/**
 * Calls an app as its clients do: `POST /speak` with `{ text }` as JSON, then `POST /transcribe` with the audio as a file
 * in a form.
 * @throws Error with the app's answer when the app refuses
 */
export async function roundTrip(url: string, text: string, signal: AbortSignal): Promise<IntegrationOutcome> {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ text })
  const spoken = await checked(await fetch(`${url}/speak`, { method: 'POST', headers, body, signal }))
  const type = spoken.headers.get('content-type') ?? ''
  const bytes = await spoken.bytes()
  const form = new FormData()
  form.set('file', new Blob([bytes], { type }), 'spoken.wav')
  const heard = await checked(await fetch(`${url}/transcribe`, { method: 'POST', body: form, signal }))
  return { audio: { bytes, type }, transcript: textOf(await heard.json()) }
}

async function checked(response: Response): Promise<Response> {
  if (response.ok) return response
  const body = await response.text()
  throw new Error(`The app answered ${response.status}: ${/"message":"([^"]+)"/.exec(body)?.[1] ?? body.slice(0, 300)}`)
}

function textOf(answer: unknown): string {
  const text: unknown = typeof answer === 'object' && answer !== null ? Reflect.get(answer, 'text') : undefined
  if (typeof text !== 'string') throw new Error('The app answered without a transcript')
  return text
}
