import type { SvcAudioPauses } from './speech-options.ts'

/** Options of {@link spokenText}. */
interface SpokenTextOptions {
  readonly speakable: boolean
  readonly pauses: SvcAudioPauses | undefined
  readonly model: string
  readonly language: string | undefined
}

/**
 * The text that the service gets: converted to speakable text, and with pause markers.
 * @throws InvalidRequestError for pauses with a model that has none
 */
export async function spokenText(text: string, options: SpokenTextOptions): Promise<string> {
  const { speakable, pauses } = options
  // The Markdown reader is loaded only if needed.
  const input = speakable ? (await import('@svc-audio/text')).speakable(text) : text
  return pauses === undefined ? input : withPauses(input, pauses, options)
}

/** An empty line. */
const PARAGRAPH = /\n[^\S\n]*\n\s*/

async function withPauses(
  text: string,
  { sentenceSeconds, paragraphSeconds }: SvcAudioPauses,
  { model, language }: SpokenTextOptions,
): Promise<string> {
  const { pauseMarker, splitSentences } = await import('@svc-audio/core/text')
  const marker = (seconds: number | undefined, otherwise: string): string =>
    seconds === undefined ? otherwise : ` ${pauseMarker(seconds, model)} `
  const split = language === undefined || language === 'auto' ? {} : { language }
  const sentences = (paragraph: string): string =>
    sentenceSeconds === undefined ? paragraph : splitSentences(paragraph, split).join(marker(sentenceSeconds, ' '))
  return text
    .trim()
    .split(PARAGRAPH)
    .map(sentences)
    .join(marker(paragraphSeconds ?? sentenceSeconds, '\n\n'))
}
