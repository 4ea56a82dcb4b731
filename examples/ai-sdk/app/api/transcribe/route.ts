import { svcAudio } from '@svc-audio/ai-sdk'
import { transcribe } from 'ai'

const MAX_BYTES = 10 * 1024 * 1024

/** Transcribes a recording: the body of the request. */
export async function POST(request: Request): Promise<Response> {
  const bytes = Number(request.headers.get('content-length') ?? Number.NaN)
  if (!(bytes <= MAX_BYTES)) return Response.json({ error: 'Record at most 10 MB.' }, { status: 413 })
  const { text } = await transcribe({
    model: svcAudio.transcription('svc-transcribe-1.0'),
    audio: await request.arrayBuffer(),
    abortSignal: request.signal,
  })
  return Response.json({ text })
}
