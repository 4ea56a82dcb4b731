import { svcAudio, type SvcAudioSpeechOptions } from '@svc-audio/ai-sdk'
import { experimental_streamSpeech as streamSpeech } from 'ai'

const MAX_CHARACTERS = 4000

/** Speaks an answer. The audio flows while it is synthesized. */
export async function POST(request: Request): Promise<Response> {
  const text = await request.text()
  if (text.length > MAX_CHARACTERS) return Response.json({ error: 'The text is too long.' }, { status: 413 })
  const { audioStream } = streamSpeech({
    model: svcAudio.speech('svc-tts-1.5-flash'),
    text,
    voice: 'rms',
    outputFormat: { type: 'audio/wav' },
    abortSignal: request.signal,
    // A model may write Markdown in spite of its instructions.
    providerOptions: { svcAudio: { speakable: true } satisfies SvcAudioSpeechOptions },
  })
  return new Response(audioStream, { headers: { 'content-type': 'audio/wav' } })
}
