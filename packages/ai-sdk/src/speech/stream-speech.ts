import {
  InvalidArgumentError,
  type Experimental_SpeechModelV4StreamOptions as StreamOptions,
  type Experimental_SpeechModelV4StreamPart as StreamPart,
  type Experimental_SpeechModelV4StreamResult as StreamResult,
  type Experimental_SpeechModelV4StreamTextPart as TextPart,
} from '@ai-sdk/provider'
import type { Narration } from '@svc-audio/core/text'
import { wavStream } from '@svc-audio/core/audio'
import { readParts, streamParts } from '../stream-parts.ts'
import { callOptions, type ModelContext, providerMetadata, type SentRequest, send } from '../request.ts'
import { compatibility, unsupported, type Warning } from '../warnings.ts'
import { speechOptions, streamHints, type SvcAudioSpeechOptions } from './plan-speech.ts'

/**
 * Speech while the text is written: sentence by sentence, each a request of its own, with the next one in preparation.
 * The audio is PCM, or a WAV of unknown length.
 */
export function streamSpeech(model: string, context: ModelContext, call: StreamOptions): StreamResult {
  const { abortSignal, text } = call
  const stream = streamParts<StreamPart>(
    (signal) => speak(model, context, { ...call, abortSignal: signal }),
    abortSignal,
    // A reader that `readParts` has taken owns the stream.
    (reason) => (text.locked ? undefined : text.cancel(reason)),
  )
  return { stream }
}

async function* speak(
  model: string,
  context: ModelContext,
  call: StreamOptions,
): AsyncGenerator<StreamPart, void, undefined> {
  const options = speechOptions(call.providerOptions)
  const { voice = context.voice, abortSignal } = call
  const body = {
    model,
    ...(voice === undefined ? {} : { voice_id: voice }),
    ...streamHints({ text: '', speed: call.speed, language: call.language }, options),
    ...(options.aigc_metadata === undefined ? {} : { aigc_metadata: options.aigc_metadata }),
  }
  const request: SentRequest = { path: '/v1/audio/speech', body }
  let characters = 0
  const textOfPart = (part: TextPart): string => {
    const text = textOf(part, call.voice)
    characters += text.length
    return text
  }
  const input = readParts(call.text, textOfPart, abortSignal)
  try {
    yield { type: 'stream-start', warnings: warningsOf(model, call) }
    const { narrate } = await import('@svc-audio/core/text')
    const { speakable = false } = options
    const narration = await send(context, request, abortSignal, (client) =>
      narrate(client, { ...body, input }, { ...gapsOf(options), ...callOptions(call), speakable }),
    )
    yield { type: 'response-metadata', timestamp: new Date(), modelId: model }
    yield* audioOf(narration, context, call, request)
    const { format } = narration
    yield { type: 'finish', usage: { inputCharacters: characters }, providerMetadata: providerMetadata({ ...format }) }
  } finally {
    await input.return()
  }
}

async function* audioOf(
  narration: Narration,
  context: ModelContext,
  { abortSignal, outputFormat }: StreamOptions,
  request: SentRequest,
): AsyncGenerator<StreamPart, void, undefined> {
  const { format } = narration
  const isWav = outputFormat?.type === 'audio/wav'
  const audioFormat = isWav ? { type: 'audio/wav' } : { type: 'audio/pcm', rate: format.sampleRate }
  const chunks = (isWav ? wavStream(format, narration) : narration)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done, value } = await send(context, request, abortSignal, () => chunks.next())
      if (done === true) return
      yield { type: 'audio', audio: value, audioFormat }
    }
  } finally {
    narration.cancel()
  }
}

function gapsOf({ pauses = {} }: SvcAudioSpeechOptions): { gapSeconds?: number; paragraphGapSeconds?: number } {
  const { sentenceSeconds, paragraphSeconds } = pauses
  return {
    ...(sentenceSeconds === undefined ? {} : { gapSeconds: sentenceSeconds }),
    ...(paragraphSeconds === undefined ? {} : { paragraphGapSeconds: paragraphSeconds }),
  }
}

/** @throws InvalidArgumentError for a second voice: the interface streams one */
function textOf(part: TextPart, voice: string | undefined): string {
  if (part.voice === undefined || part.voice === voice) return part.text
  const message = `text: a stream has one voice, ${voice ?? 'the default'}, and a part wants ${part.voice}: set voice of the call`
  throw new InvalidArgumentError({ argument: 'text', message })
}

function warningsOf(model: string, { instructions, outputFormat }: StreamOptions): Warning[] {
  const warnings: Warning[] = []
  if (instructions !== undefined) warnings.push(unsupported('instructions', `${model} takes no instructions.`))
  if (outputFormat === undefined) return warnings
  const { type, rate } = outputFormat
  if (type !== 'audio/pcm' && type !== 'audio/wav') {
    warnings.push(unsupported('outputFormat', `A stream is audio/pcm or audio/wav, not ${type}: the audio is PCM.`))
  } else if (rate !== undefined) {
    warnings.push(compatibility('outputFormat', 'The service chooses the rate: read audioFormat of the audio parts.'))
  }
  return warnings
}
