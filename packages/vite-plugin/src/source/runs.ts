import type { SpeakableBlock } from '@svc-audio/text'

/** The voice of a language. */
export interface LanguageVoice {
  readonly voice_id: string
  readonly language: string
  /** Language hint; `undefined` where the service accepts none. */
  readonly hint: string | undefined
}

/** A text that one voice speaks. */
export interface Run {
  readonly text: string
  /** Voice and language of the run, if they are not those of the page. */
  readonly voice: LanguageVoice | undefined
  /** Whether it continues the block of the run before it. */
  readonly continues: boolean
}

/** The voice of a language; `undefined` for one that the voice of the page speaks. */
export type VoiceOfLanguage = (language: string) => LanguageVoice | undefined

/** Divides blocks into runs of one voice. Without another voice there is one run. */
export function runsOf(blocks: readonly SpeakableBlock[], voiceOf: VoiceOfLanguage): readonly Run[] {
  const runs: Run[] = []
  for (const block of blocks) {
    for (const [index, { text, language }] of (block.spans ?? [{ text: block.text }]).entries()) {
      const voice = language === undefined ? undefined : voiceOf(language)
      const last = runs.at(-1)
      const isSame = last?.voice?.voice_id === voice?.voice_id && last?.voice?.language === voice?.language
      // The voice before a full stop speaks it too.
      const isMark = index > 0 && !/[\p{L}\p{N}]/u.test(text)
      if (last !== undefined && (isSame || isMark)) {
        const joint = index === 0 ? '\n\n' : ''
        runs.splice(-1, 1, { ...last, text: last.text + joint + text })
      } else runs.push({ text, voice, continues: index > 0 })
    }
  }
  return runs.flatMap((run) => {
    const text = run.text.trim()
    return text === '' ? [] : [{ ...run, text }]
  })
}
